// WallThreads keeps the threads that are sampled by the wall clock. A handler *answers* a signal by
// storing the thread's CPU time in ThreadSlot::wall_answer_ns. Each thread has a state:
//
//              signal sent                 asleep since the handler's answer
//   kUnsignalled ─────────▶ kSignalled ─────────────────────────────────────▶ kAsleep
//       ▲                   │└─▲ it runs, or waits for a CPU: next signal          │
//       └───────────────────┼────────────────────── its CPU clock has moved ───────┘
//                           └─▶ kBlocked: no answer, because the thread blocks the signal;
//                               ends with an answer
//
// The stacks of a thread that blocks the signal are unknown, so the time of the thread is lost
// until it answers.
//
// A sleeping thread gets no signal. WallThreads makes samples that account for the thread's time,
// with the CallTraceId of the thread's last sample. It makes them when the thread has run again,
// when the thread ends, and at the end of a chunk or of the recording. A sleeping thread is
// signalled again if an unwind table was missing for its stack, and tables have been published
// since.
//
// While no window is open (sample_window.h) no thread is signalled. A thread that runs while no
// window is open becomes kUnsignalled, and its time is counted without a sample.
//
// Tick is called on the wall engine's thread. Finish is called after the wall engine's thread has
// ended. The registry calls Add and Remove with its lock held. CloseSpans is called on the
// recorder's thread. WallThreads never calls the registry, and never runs in a signal handler.
//
// Invariants:
//  1. Elapsed time is accounted for either by the thread's handler or by WallThreads, never by
//     both: while a thread sleeps, no signal to it is on its way, and accounting is one
//     compare-and-swap.
//  2. Memory is bounded: one entry per thread, and the content of OffThreadSamples.
//  3. A thread that starts or ends waits at most for the work on one entry, never for a pass over
//     all entries, because the lock is fair and is released after each entry. The work on an entry
//     is a few system calls. Only the read of /proc/self/task/TID/syscall can wait, for at most one
//     tick of the scheduler (Linux v6.1 kernel/sched/core.c, wait_task_inactive).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "chunks/off_thread_samples.h"
#include "engines/wall/timing_wheel.h"
#include "os/fair_mutex.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class WallThreads {
 public:
  struct Signal {
    // Sends the signal. Returns false if the thread has exited.
    std::function<bool(const ThreadSlot&)> send;
    // True if the thread blocks the signal. May read a file.
    std::function<bool(const ThreadSlot&)> is_blocked;
  };

  // Says which thread calls Remove: the ending thread itself, or another one.
  enum class Removal { kByItself, kFromOutside };

  // The work so far, for tests and measurements.
  struct Counts {
    uint64_t looks = 0;    // number of reads of a CPU clock
    uint64_t signals = 0;  // number of signals that were sent
  };

  using Clock = Nanos (*)();

  // `samples` gets the samples that WallThreads makes; it outlives the object. `clock` is replaced
  // in tests.
  WallThreads(OffThreadSamples& samples, Nanos interval_ns, Clock clock = MonotonicNanos);

  void Add(ThreadSlot& thread);
  void Remove(ThreadSlot& thread, Removal removal);

  // Handles the threads that are due. Signals each of them, or finds that it sleeps.
  void Tick(const Signal& signal);

  // Accounts for the time of all threads up to now, and removes the threads. REQUIRES: no further
  // signal is sent.
  void Finish();

  // Makes samples that account for the time of sleeping threads up to now.
  void CloseSpans();

  // Returns the number of intervals for which CloseSpans would make samples now. Returns 0 in a
  // recording that is limited to windows, because the number is unknown there.
  uint64_t UnwrittenIntervals();

  Counts counts() const;

 private:
  enum class State : uint8_t { kUnsignalled, kSignalled, kBlocked, kAsleep };

  struct WatchedThread {
    ThreadSlot* thread = nullptr;  // nullptr if the entry is free
    Tid tid{0};
    State state = State::kUnsignalled;
    int64_t due_tick = 0;
    // The next three members are set when the thread is signalled.
    Nanos signalled_ns = 0;
    uint64_t publications = 0;  // number of publications of unwind tables at that time
    int64_t ask_after = 0;      // unanswered intervals after which the signal mask is read
    // The next three members are set when the thread is found asleep.
    Nanos baseline_cpu_ns = 0;
    Nanos asleep_since_ns = 0;
    Nanos verified_ns = 0;  // the last time at which the CPU clock still showed baseline_cpu_ns
  };

  void CountTicks();

  // Calls visit(entry) for each entry that has a thread. Holds the lock during each call, but not
  // between two calls.
  template <typename Visit>
  void VisitEach(Visit visit);

  void LookAt(WatchedThread& entry, const Signal& signal);
  void AwaitAnswer(WatchedThread& entry, const Signal& signal);
  bool MayBlock(const WatchedThread& entry, int64_t unanswered);
  static bool IsSignalled(const WatchedThread& entry) {
    return entry.state == State::kSignalled || entry.state == State::kBlocked;
  }
  bool IsUnknownTooLong(const WatchedThread& entry, Nanos now_ns) const;
  bool HasSettled(const WatchedThread& entry, Nanos cpu_ns);
  static bool HasBetterTables(const WatchedThread& entry);
  void PassOver(WatchedThread& entry, Nanos now_ns);
  void SignalThread(WatchedThread& entry, Nanos now_ns, Nanos cpu_ns, const Signal& signal);
  void ScheduleIn(WatchedThread& entry, int64_t intervals);
  Nanos ReadClockOf(const WatchedThread& entry);
  void Credit(WatchedThread& entry, Nanos until_ns);
  void Lose(WatchedThread& entry, Nanos until_ns);
  void CloseInterval(WatchedThread& entry);
  void FinishEntry(WatchedThread& entry, Nanos now_ns);

  OffThreadSamples& samples_;
  const Nanos interval_ns_;
  const Clock clock_;
  int64_t counted_tick_;               // used by Tick alone
  std::vector<TimingWheel::Due> due_;  // used by Tick alone

  mutable FairMutex mutex_;  // guards all below
  TimingWheel wheel_;
  std::vector<WatchedThread> entries_;  // indexed by slot index
  Counts counts_;
};

}  // namespace jprof
