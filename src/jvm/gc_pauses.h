// GcPauses records the garbage collector's pauses, from the JVMTI events of their start and end.
// HeapWatch determines how full the collections leave the heap.
//
// OnStart and OnFinish run inside a safepoint: they only load and store, without a call into the VM
// or a lock. Take runs on one other thread, the recorder's. Up to 1024 pauses wait for Take;
// OnFinish only counts further pauses (missed).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/perf_counters.h"
#include "jvm/jvm_events.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct GcPause {
  static constexpr size_t kCauseSize = 48;

  Nanos start_ns = 0;
  Nanos end_ns = 0;
  // The used and the committed size of the heap at the end of the pause; negative if the VM does
  // not report the size.
  int64_t used_bytes = -1;
  int64_t committed_bytes = -1;
  const char* collector = nullptr;       // the VM's name; nullptr if not reported
  int collector_number = -1;             // N of sun.gc.collector.N; -1 if not reported
  std::array<char, kCauseSize> cause{};  // the VM's text, NUL-terminated; empty if not reported
};

class GcPauses final : public JvmEventListener {
 public:
  explicit GcPauses(const PerfCounters& counters);

  void OnGarbageCollectionStart(jvmtiEnv*) override { OnStart(); }
  void OnGarbageCollectionFinish(jvmtiEnv*) override { OnFinish(); }

  void OnStart();
  void OnFinish();

  // Calls visit(pause) for each pause that has ended since the last call.
  template <typename Visitor>
  void Take(Visitor&& visit) {
    const uint64_t end = written_.load(std::memory_order_acquire);
    for (; taken_ < end; ++taken_) {
      visit(static_cast<const GcPause&>(pauses_[taken_ % kCapacity]));
      free_.store(taken_ + 1, std::memory_order_release);
    }
  }

  // Returns the used bytes of the heap after the last pause with a known collector; negative if the
  // VM has not reported a size.
  int64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }

  // Returns the number of pauses that were dropped because 1024 others were waiting for Take.
  uint64_t missed() const { return missed_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kCapacity = 1024;

  struct Collector {
    const int64_t* invocations;
    const char* name;
    int64_t seen;
    int number;
  };

  void ReadHeap(GcPause& pause);
  void ReadCause(GcPause& pause) const;

  // OnStart and OnFinish write the following members, in safepoints. Other threads read only the
  // atomic ones.
  std::vector<const int64_t*> used_;
  std::vector<const int64_t*> committed_;
  std::vector<Collector> collectors_;
  const char* cause_ = nullptr;       // cause of the current collection
  const char* last_cause_ = nullptr;  // cause of the previous collection
  Nanos start_ns_ = 0;
  std::atomic<uint64_t> missed_{0};
  std::atomic<int64_t> used_bytes_{-1};

  std::array<GcPause, kCapacity> pauses_;  // indexed by number modulo kCapacity
  std::atomic<uint64_t> written_{0};  // pauses stored so far; release by OnFinish, acquire by Take
  std::atomic<uint64_t> free_{0};     // pauses taken so far; release by Take, acquire by OnFinish
  uint64_t taken_ = 0;                // used only by Take
};

// Determines how full the JVM's collections leave the heap, which shows whether the JVM might soon
// end for lack of memory.
//
// JVMTI's ResourceExhausted is not used: the JVM might end before it sends that event
// (exit_watch.h), and the JVM prints a line at each error if an agent wants the event (jdk-17+35
// and jdk-25+36 src/hotspot/share/prims/jvmtiExport.cpp, post_resource_exhausted).
//
// Used by any thread.
class HeapWatch {
 public:
  // `most_bytes` is the largest size of the heap. If it is 0, the size is unknown, and the heap
  // never counts as full.
  HeapWatch(const GcPauses& pauses, uint64_t most_bytes)
      : pauses_(pauses), most_bytes_(most_bytes) {}

  // True if less than an eighth of the heap was free after the last collection. In a heap that is
  // large enough for its program, a collection leaves more room than that.
  bool IsNearlyFull() const { return Exceeds(most_bytes_ - most_bytes_ / 8); }

  // True if less than half of the heap was free after the last collection.
  bool IsHalfFull() const { return Exceeds(most_bytes_ / 2); }

 private:
  bool Exceeds(uint64_t bytes) const {
    const int64_t used = pauses_.used_bytes();
    return most_bytes_ != 0 && used > 0 && static_cast<uint64_t>(used) > bytes;
  }

  const GcPauses& pauses_;
  const uint64_t most_bytes_;
};

}  // namespace jprof
