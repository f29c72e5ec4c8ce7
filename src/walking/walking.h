// Walking is the service of the process that lets VmCursor walk HotSpot's frames. While the service
// runs, faults of guarded loads are caught, and the unwind tables of native code are kept up to
// date.
//
// Each use is a Walking::Use: a recording has a use, and so has any other code that walks stacks.
// The first use starts the service, and the end of the last use stops it. Before the service
// restores the previous handlers of SIGSEGV and SIGBUS, it waits until no walk relies on caught
// faults. If a walk does not end within 5 seconds, our handlers stay until the process ends.
//
// Ten times a second the service checks whether another handler was installed over ours, or an
// earlier handler was restored. If so, it installs ours on top. If our handler cannot be installed,
// VmCursor is off until the last use has ended.
//
// Thread-safe; not for handlers. There is one object per process; it is never destroyed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/result.h"
#include "jvm/hotspot_layout_reader.h"
#include "jvm/vm_structs.h"
#include "os/fault_action.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/stack/asgct_walker.h"
#include "unwind/unwind_publisher.h"

namespace jprof {

class Walking {
 public:
  // A use of the service. It lasts as long as this object.
  class Use {
   public:
    Use(Use&& other) noexcept : walking_(std::exchange(other.walking_, nullptr)) {}
    Use& operator=(Use&& other) noexcept {
      std::swap(walking_, other.walking_);
      return *this;
    }
    ~Use() {
      if (walking_ != nullptr) walking_->End();
    }

   private:
    friend class Walking;
    explicit Use(Walking* walking) : walking_(walking) {}

    Walking* walking_;
  };

  // Publishes the layout of the VM to walks. `asgct` can be nullptr. `structs` and `hotspot` live
  // as long as the process.
  Walking(const VmStructs& structs, const HotspotReading& hotspot, AsgctFunction asgct);
  Walking(const Walking&) = delete;
  Walking& operator=(const Walking&) = delete;

  // Begins a use, with or without a recording. VmCursor can walk until the use ends, also through
  // all native code that is loaded now. Fails if VmCursor cannot work in this JVM. Walks also need buffers (ReserveBuffers).
  Result<Use> Begin();

  // Returns the thread of the profiler that updates the unwind tables; nullopt while the service is
  // stopped.
  std::optional<Tid> tables_thread() const;

  // Makes buffers in which a walk can keep up to `depth` frames, `root_depth` of them at the root
  // of the stack. Walks by AsyncGetCallTrace need the buffers, too. REQUIRES: no walk is running
  // with the depth of an earlier call.
  static Status ReserveBuffers(uint32_t depth, uint32_t root_depth);

  // Makes small buffers if there are none. For walks that keep no frames in a buffer, but need one
  // for their WalkScope.
  static Status EnsureBuffers();

 private:
  static Status MakeBuffers(uint32_t depth, uint32_t root_depth);
  Status Start();
  void Stop();
  void End();
  // Called on the thread that updates the unwind tables.
  void MoveHandlersToFront();

  const VmStructs& structs_;
  const HotspotReading& hotspot_;
  mutable std::mutex mutex_;  // guards uses_, faults_ and tables_
  int uses_ = 0;
  FaultAction faults_;
  // True if our handlers could not be put back in front. relaxed: if Begin reads an old value, it
  // only begins a use in which VmCursor is off.
  std::atomic<bool> is_given_up_{false};
  std::unique_ptr<UnwindPublisher> tables_;  // nullptr while the service is stopped
};

}  // namespace jprof
