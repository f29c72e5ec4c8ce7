// WallThreads: the threads that the wall clock samples, each with its state:
//
//              signal sent                 asleep since the handler's answer
//   kUncalled ────────────▶ kCalled ────────────────────────────────────────▶ kAsleep
//       ▲                    └─▲ it runs, or waits for a CPU: next signal          │
//       └──────────────────────────────────────────────── its clock has moved ────┘
//
// A thread that sleeps gets no signal. Its time is added to its last sample, by samples that are
// made here, with the same TraceId: when it has run, when it ends, when a chunk or the recording
// does. The stack must then still be known, hence KeepLive.
//
// Threads: Tick and Finish the wall engine's; Add and Remove the registry's events, under its lock;
// CloseSpans, Drain and KeepLive the recorder's. Never a handler. Never calls the registry.
//
// Invariants:
//  1. Elapsed time is accounted for either by the thread's handler or here, never twice: a thread
//     that is asleep has no signal outstanding, and the account is one compare-and-swap.
//  2. Memory is bounded: an entry a thread, and at most kMaxFinished samples.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "sigsafe/sampling/sample.h"
#include "sigsafe/threads/profiled_thread.h"
#include "traces/preserved_traces.h"
#include "wall/timing_wheel.h"

namespace jprof {

class WallThreads {
 public:
  // Sends the wall signal; false: the thread is gone, or signals are queued up.
  using SendSignal = std::function<bool(const ProfiledThread&)>;

  enum class Removal { kByItself, kFromOutside };  // the thread that ends, on itself; or not

  // What it has done so far, for tests and figures.
  struct Counts {
    uint64_t looks = 0;
    uint64_t signals = 0;
  };

  static constexpr size_t kMaxFinished = 65536;

  explicit WallThreads(Nanos interval_ns);

  void Add(ProfiledThread& thread);
  void Remove(ProfiledThread& thread, Removal removal);

  // Looks at the threads that are due.
  void Tick(const SendSignal& signal);

  // Accounts for all threads up to now and forgets them. REQUIRES: no signal is sent any more.
  void Finish();

  // Makes samples of the time that threads have slept so far.
  void CloseSpans();

  // Calls visit(sample) for each sample made here whose stack is of an epoch up to `last_epoch`.
  template <typename Visitor>
  void Drain(uint32_t last_epoch, Visitor&& visit) {
    for (const Sample& sample : TakeFinished(last_epoch)) visit(sample);
  }

  // Names the stacks that samples may still be made of.
  void KeepLive(LiveTraces& live) const;

  Counts counts() const;

 private:
  enum class State : uint8_t { kUncalled, kCalled, kAsleep };

  struct Entry {
    ProfiledThread* thread = nullptr;  // nullptr: a free entry
    Tid tid{0};
    State state = State::kUncalled;
    int64_t due_tick = 0;
    // Of a thread that is asleep.
    Nanos baseline_cpu_ns = 0;
    Nanos asleep_since_ns = 0;
    Nanos verified_ns = 0;  // when the clock last stood at the baseline
  };

  void LookAt(Entry& entry, const SendSignal& signal);
  bool HasSettled(const Entry& entry, Nanos cpu_ns);
  void Call(Entry& entry, Nanos now_ns, Nanos cpu_ns, const SendSignal& signal);
  void ScheduleIn(Entry& entry, int64_t intervals);
  Nanos ReadClockOf(const Entry& entry);
  void Credit(Entry& entry, Nanos until_ns);
  std::vector<Sample> TakeFinished(uint32_t last_epoch);

  const Nanos interval_ns_;
  std::vector<TimingWheel::Due> due_;  // Tick's

  mutable std::mutex mutex_;  // guards all below
  TimingWheel wheel_;
  std::vector<Entry> entries_;    // by record index
  std::vector<Sample> finished_;  // until the recorder takes them
  Counts counts_;
};

}  // namespace jprof
