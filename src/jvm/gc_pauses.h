// GcPauses: the pauses in which the VM collects garbage, from JVMTI's events of their start and
// end.
//
// OnStart and OnFinish run while the VM stands still: they read and store, no call, no lock. Take:
// one other thread, the recorder's. 1024 pauses wait for it; more are counted and not kept.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "jvm/jvm_events.h"
#include "jvm/perf_counters.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct GcPause {
  static constexpr size_t kCauseSize = 48;

  Nanos start_ns = 0;
  Nanos end_ns = 0;
  // Of the heap when it ended; negative: the VM does not tell.
  int64_t used_bytes = -1;
  int64_t committed_bytes = -1;
  const char* collector = nullptr;       // the VM's word for it; nullptr: it does not tell
  std::array<char, kCauseSize> cause{};  // empty: as above
};

class GcPauses final : public JvmEventListener {
 public:
  explicit GcPauses(const PerfCounters& counters);

  void OnGarbageCollectionStart(jvmtiEnv*) override { OnStart(); }
  void OnGarbageCollectionFinish(jvmtiEnv*) override { OnFinish(); }

  void OnStart();
  void OnFinish();

  // Calls visit(pause) for each that has ended since the last call.
  template <typename Visitor>
  void Take(Visitor&& visit) {
    const uint64_t end = written_.load(std::memory_order_acquire);
    for (; taken_ < end; ++taken_) {
      visit(static_cast<const GcPause&>(pauses_[taken_ % kCapacity]));
      free_.store(taken_ + 1, std::memory_order_release);
    }
  }

  // Pauses that found no room.
  uint64_t missed() const { return missed_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kCapacity = 1024;

  struct Collector {
    const int64_t* invocations;
    const char* name;
    int64_t seen;
  };

  void ReadHeap(GcPause& pause);
  void ReadCause(GcPause& pause) const;

  // The thread's that stops the VM.
  std::vector<const int64_t*> used_;
  std::vector<const int64_t*> committed_;
  std::vector<Collector> collectors_;
  const char* cause_ = nullptr;       // of the collection that is under way
  const char* last_cause_ = nullptr;  // of the one before
  Nanos start_ns_ = 0;
  std::atomic<uint64_t> missed_{0};

  std::array<GcPause, kCapacity> pauses_;  // by number modulo kCapacity
  std::atomic<uint64_t> written_{0};       // release by OnFinish, acquire by Take
  std::atomic<uint64_t> free_{0};  // taken, and so free; release by Take, acquire by OnFinish
  uint64_t taken_ = 0;             // the recorder's
};

}  // namespace jprof
