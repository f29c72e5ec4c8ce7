// HolderLooks takes the stacks of threads that hold locks for which others wait.
//
// A thread of its own, the looker, looks at the waits that go on. The length of a wait is unknown
// when it begins, so the looker looks only at waits that have lasted for kAge already:
//
//   OpenWaits, ParkProbes ─▶ Find: waits with a holder ─▶ Ask: the holder's stack ─▶ Store
//                                                          (threads/stack_asker.h)
//
// A holder that has no processor answers when it goes on, so its answer can come in a later tick.
// The stack belongs to a wait only if the thread held the lock when the stack was taken, and the
// wait goes on. In its handler, the thread reads the owner word of the monitor, which it cannot
// change meanwhile. A handler cannot read the owner of a lock of java.util.concurrent, which is in
// the heap. So the same thread must hold such a lock before and after the answer. A holder that has
// not run since its last stack was taken is not asked again. Waits with the same holder share one
// stack.
//
// The CPU time of the handlers is bounded by a hundredth of one processor in the long run
// (SearchBudget).
//
// Start, Stop and Totals are called on any thread, one call of Start and Stop at a time. KeepLive
// is called on the recorder's thread. The looker holds no lock while it is inside the JVM.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "engines/lock/live_stacks.h"
#include "engines/lock/lock_stacks.h"
#include "engines/lock/open_waits.h"
#include "engines/lock/park_probes.h"
#include "engines/lock/thread_ids.h"
#include "jvm/jvm_events.h"
#include "os/stoppable_thread.h"
#include "threads/stack_asker.h"
#include "threads/thread_registry.h"

namespace jprof {

class HolderLooks {
 public:
  // The time between two looks, and the age of a wait at its first look. A wait of 10 ms or more is
  // looked at unless the looker gets no processor for some milliseconds.
  static constexpr Nanos kTick = 4'000'000;
  static constexpr Nanos kAge = 2'000'000;
  // The time between two looks after kIdleAfter without a wait for a lock with an owner.
  static constexpr Nanos kIdleTick = 7'000'000;
  static constexpr Nanos kIdleAfter = 100'000'000;
  // The maximum number of threads that are asked at a time, and the longest time for which an
  // answer is awaited.
  static constexpr size_t kMostThreads = 16;
  static constexpr Nanos kLongest = 200'000'000;
  // The maximum number of waits that are looked at in one tick. Further waits are looked at later.
  static constexpr size_t kMostLooks = 4096;

  // REQUIRES: the arguments outlive the object.
  HolderLooks(JvmEvents& events, ThreadRegistry& registry, OpenWaits& monitors)
      : events_(events), registry_(registry), monitors_(monitors) {}
  ~HolderLooks() { Stop(); }

  // Starts the looker. `avoid` is as in StackAsker::Start. If it fails, waits have no stacks of
  // holders.
  Status Start(const ThreadIds& ids, const ParkProbes& parks, int avoid);
  // Waits until the looker has ended. Repeated calls have no effect.
  void Stop();

  void KeepLive(LiveCallTraces& live) const { live_.AtRotation(live); }

  // Returns the signal by which threads are asked; nullopt if Start has not succeeded.
  std::optional<int> signal() const {
    return asker_ == nullptr ? std::nullopt : std::optional(asker_->signal());
  }
  // Describes the stacks taken so far, one line each.
  std::vector<std::string> Totals() const;

 private:
  // A wait, and the thread that holds its lock.
  struct Look {
    bool is_park = false;
    ParkProbes::HeldPark park = {};  // of a park
    size_t place = 0;                // of a monitor
    OpenWait wait = {};              // of a monitor
    SampledThread holder = {};
    ThreadSlot* runner = nullptr;  // slot of the thread on whose stack the holder's frames are
    uint32_t runner_serial = 0;
    HeldWord word = {};  // of a monitor
    CallTraceId trace = kNoCallTrace;
    bool is_certain = false;  // true if the holder itself has shown that it holds the monitor
  };
  // The last answer of a thread.
  struct LastAnswer {
    StackAnswer answer;
    Nanos settled_cpu_ns = 0;  // CPU time of the thread while it waits after the answer; 0: unknown
  };
  struct Retry {
    Nanos start_ns = 0;  // start of the wait
    uint32_t tries = 0;
  };

  // Identifies the place of the wait in its table.
  static uint64_t KeyOf(const Look& look) {
    return uint64_t{look.is_park ? look.park.place : look.place} << 1 | (look.is_park ? 1 : 0);
  }

  void Run(const StopEvent& stop);
  void Tick(JNIEnv* jni);
  void FindMonitors(Nanos now_ns);
  void FindParks(JNIEnv* jni, Nanos now_ns);
  void AddMonitor(const HotspotLayout& vm, size_t place, const OpenWait& wait);
  bool IsDue(size_t place, const OpenWait& wait, Nanos now_ns);
  void SetRunner(Look& look, const ThreadSlot* slot);
  void Collect();
  void Ask();
  StackAsker::Question* QuestionTo(const Look& look);
  bool Reuse(const ThreadSlot& thread, uint32_t serial, StackAnswer* answer);
  // Sets the trace of each look that `answer` is for.
  void Take(const ThreadSlot& thread, const HeldWord& word, const StackAnswer& answer);
  // Stores the traces of the looks that have one, and removes the looks that await no answer.
  void Store(JNIEnv* jni);
  void StoreInMonitor(const HotspotLayout& vm, const Look& look);
  void KeepStored(JNIEnv* jni);

  JvmEvents& events_;
  ThreadRegistry& registry_;
  OpenWaits& monitors_;
  const ThreadIds* ids_ = nullptr;
  const ParkProbes* parks_ = nullptr;
  std::unique_ptr<StackAsker> asker_;
  mutable LiveStacks live_;
  StoppableThread looker_;

  // Used by the looker alone.
  std::vector<Look> looks_;
  std::unordered_map<uint64_t, Nanos> looked_at_;  // starts of the waits of looks_, by KeyOf
  std::vector<StackAsker::Question> questions_;    // open questions
  std::vector<ParkProbes::HeldPark> held_;
  std::vector<CallTraceId> stored_;
  std::unordered_map<uint32_t, LastAnswer> answers_;  // by slot index
  std::unordered_map<size_t, Retry> retries_;         // by place of a monitor's wait
  uint32_t kept_at_ = 0;  // LiveStacks::rotations at the last KeepStored
  size_t turn_ = 0;
  Nanos awaited_ns_ = 0;  // the last time at which a wait awaited a look
  SearchBudget budget_;

  // relaxed: plain counters.
  std::atomic<uint64_t> held_waits_{0};  // waits that got a stack
  std::atomic<uint64_t> reused_{0};      // stacks of threads that had not run
  std::atomic<uint64_t> changed_{0};  // stacks that were not used, because the holder had changed
  std::atomic<uint64_t> unmounted_{
      0};  // looks at waits whose holder was an unmounted virtual thread
  std::atomic<uint64_t> over_budget_{0};  // looks that were put off, because the budget was used up
};

}  // namespace jprof
