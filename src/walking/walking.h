// Walking: walks of HotSpot's frames as a service of the process. While the service runs, faults of
// guarded loads are caught, and the unwind tables of native code are kept up to date.
//
// Each use is a Walking::Use: a recording has one, and so has any other code that walks stacks. The
// first use starts the service, and the end of the last one stops it. Then no walk relies on caught
// faults any more, and the handlers of SIGSEGV and SIGBUS are restored.
//
// Ten times a second the service checks whether another handler was installed over ours, or an
// earlier one was restored, and installs ours on top. If that fails, VmCursor is off until the last
// use has ended.
//
// Thread-safe; not for handlers. One object per process, which is never destroyed.
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
  // A use of the service, which lasts as long as the object.
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

  // Begins a use: VmCursor can walk until it ends. Fails if VmCursor cannot work in this JVM.
  // Needs no recording. Walks also need buffers (ReserveBuffers).
  Result<Use> Begin();

  // Returns the thread of the profiler that updates the tables; nullopt while the service is
  // stopped.
  std::optional<Tid> tables_thread() const;

  // Returns when all loaded code has tables.
  static void AwaitTables() { UnwindPublisher::Update(); }

  // Lets walks keep up to `depth` frames, `root_depth` of them at the root. Walks by
  // AsyncGetCallTrace need the buffers, too. REQUIRES: no walk with an earlier depth is running.
  static Status ReserveBuffers(uint32_t depth, uint32_t root_depth);

 private:
  Status Start();
  void Stop();
  void End();
  // Called on the thread that updates the tables.
  void MoveHandlersToFront();

  const VmStructs& structs_;
  const HotspotReading& hotspot_;
  mutable std::mutex mutex_;  // guards uses_, faults_ and tables_
  int uses_ = 0;
  FaultAction faults_;
  // True if our handlers could not be put back in front. relaxed: Begin only avoids a use in vain.
  std::atomic<bool> is_given_up_{false};
  std::unique_ptr<UnwindPublisher> tables_;  // nullptr while the service is stopped
};

}  // namespace jprof
