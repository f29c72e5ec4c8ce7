#include "engines/wall/wall_threads.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "chunks/idle_rule.h"
#include "os/cpu_clock.h"
#include "os/task_list.h"
#include "sigsafe/native/native_code.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "sigsafe/sampling/wall_sampling.h"

namespace jprof {
namespace {

// Exceeds the CPU time that a thread can use while the profiler itself blocks the signal.
constexpr Nanos kLongestOwnBlocking = 1'000'000;

bool HasTrace(const ThreadSlot& thread) {
  return thread.LastStackOf(SampleKind::kWall).trace.load(std::memory_order_relaxed) !=
         kNoCallTrace;
}

// True if the handler has run since the thread was signalled. The acquire load is paired with the
// release store of the handler. If the result is true, everything that the handler has written to
// the slot is visible, and the handler does not write to the slot again until the next signal.
bool HasAnswered(const ThreadSlot& thread) {
  return thread.wall_answer_ns.load(std::memory_order_acquire) != 0;
}

}  // namespace

WallThreads::WallThreads(OffThreadSamples& samples, Nanos interval_ns, Clock clock)
    : samples_(samples),
      interval_ns_(interval_ns),
      clock_(clock),
      counted_tick_(clock() / interval_ns),
      wheel_(counted_tick_) {}

void WallThreads::Add(ThreadSlot& thread) {
  // If the thread has already taken a sample in this run, its time is already being accounted for.
  if (thread.run.load(std::memory_order_relaxed) != Sampling().run) {
    BeginWallTime(thread, Sampling(), interval_ns_);
    thread.wall_answer_ns.store(kNotSignalled, std::memory_order_relaxed);
  }
  const std::lock_guard lock(mutex_);
  if (entries_.size() <= thread.index) entries_.resize(thread.index + 1);
  WatchedThread& entry = entries_[thread.index];
  entry = {};
  entry.thread = &thread;
  entry.tid = thread.tid.load(std::memory_order_relaxed);
  ScheduleIn(entry, 1);
}

void WallThreads::Remove(ThreadSlot& thread, Removal removal) {
  const std::lock_guard lock(mutex_);
  if (thread.index >= entries_.size() || entries_[thread.index].thread != &thread) return;
  WatchedThread& entry = entries_[thread.index];
  const Nanos now_ns = clock_();
  if (removal == Removal::kByItself && IsUnknownTooLong(entry, now_ns)) {
    Lose(entry, now_ns);
  } else if (removal == Removal::kByItself && !HasTrace(thread)) {
    RecordWallThreadEnd(thread);
  } else if (removal == Removal::kByItself) {
    Credit(entry, now_ns);
  } else if (entry.state == State::kAsleep) {
    Credit(entry, entry.verified_ns);
  }
  entry = {};
}

void WallThreads::Tick(const Signal& signal) {
  CountTicks();
  due_.clear();
  {
    const std::lock_guard lock(mutex_);
    wheel_.AdvanceTo(clock_() / interval_ns_, &due_);
  }
  for (const TimingWheel::Due& due : due_) {
    const std::lock_guard lock(mutex_);
    if (due.item >= entries_.size()) continue;
    WatchedThread& entry = entries_[due.item];
    if (entry.thread != nullptr && entry.due_tick == due.tick) LookAt(entry, signal);
  }
}

// Counts ticks while a window is open, for all threads together.
void WallThreads::CountTicks() {
  const int64_t tick = clock_() / interval_ns_;
  const int64_t ticks = tick - std::exchange(counted_tick_, tick);
  SamplingState& state = Sampling();
  if (!state.window.IsLimited() || !state.window.IsOpen()) return;
  state.wall_ticks_in_windows_ns.fetch_add(ticks * interval_ns_, std::memory_order_relaxed);
}

void WallThreads::LookAt(WatchedThread& entry, const Signal& signal) {
  if (IsSignalled(entry) && !HasAnswered(*entry.thread)) {
    AwaitAnswer(entry, signal);
    return;
  }
  const Nanos cpu_ns = ReadClockOf(entry);
  const Nanos now_ns = clock_();
  if (entry.state == State::kAsleep && cpu_ns == entry.baseline_cpu_ns && !HasBetterTables(entry)) {
    entry.verified_ns = now_ns;
    ScheduleIn(entry, GapAfter((now_ns - entry.asleep_since_ns) / interval_ns_));
    return;
  }
  if (entry.state == State::kAsleep) {
    // The last interval is left to the next sample.
    Credit(entry, std::max(entry.verified_ns, WallCutBefore(now_ns, interval_ns_) - interval_ns_));
  }
  if (HasSettled(entry, cpu_ns)) {
    entry.state = State::kAsleep;
    entry.baseline_cpu_ns = cpu_ns;
    entry.asleep_since_ns = now_ns;
    entry.verified_ns = now_ns;
    ScheduleIn(entry, 1);
    return;
  }
  if (HasWallTicksInWindows(*entry.thread, Sampling())) {
    SignalThread(entry, now_ns, cpu_ns, signal);
  } else {
    PassOver(entry, now_ns);
  }
}

// Called for a thread that is not known to sleep, if no window was open. Accounts for the thread's
// time without a sample, and forgets the thread's last stack, which is no longer valid.
void WallThreads::PassOver(WatchedThread& entry, Nanos now_ns) {
  AccountWallTime(*entry.thread, Sampling(), now_ns);
  entry.thread->LastStackOf(SampleKind::kWall).trace.store(kNoCallTrace, std::memory_order_relaxed);
  entry.state = State::kUnsignalled;
  ScheduleIn(entry, 1);
}

// Decides whether a thread that has not answered blocks the signal. A thread that waits for a
// processor, or is busy in the kernel, answers late, but its stack does not change until it
// answers. A thread that blocks the signal can run until it answers; it answers with another stack,
// or never.
void WallThreads::AwaitAnswer(WatchedThread& entry, const Signal& signal) {
  const Nanos now_ns = clock_();
  const int64_t unanswered = (now_ns - entry.signalled_ns) / interval_ns_;
  if (entry.state == State::kSignalled && unanswered >= entry.ask_after) {
    entry.ask_after = unanswered + std::min(unanswered, kMaxGap);
    if (MayBlock(entry, unanswered) && signal.is_blocked(*entry.thread) &&
        !HasAnswered(*entry.thread)) {
      entry.state = State::kBlocked;
    }
  }
  if (entry.state != State::kBlocked) {
    ScheduleIn(entry, 1);
    return;
  }
  if (ReadClockOf(entry) != 0) Lose(entry, now_ns);
  ScheduleIn(entry, kPatience);
}

// True if the thread itself might block the signal. The profiler also blocks the signal for a short
// time, when a thread registers itself or a handler starts, and the thread can lose the processor
// during that time. But if the thread has used more CPU time than kLongestOwnBlocking without an
// answer, it blocks the signal itself.
bool WallThreads::MayBlock(const WatchedThread& entry, int64_t unanswered) {
  const Nanos signalled_cpu_ns = entry.thread->wall_look_cpu_ns.load(std::memory_order_relaxed);
  return unanswered >= kMaxGap || ReadClockOf(entry) - signalled_cpu_ns >= kLongestOwnBlocking;
}

// True if the thread has not answered for so long that its last stack cannot stand for the time
// since the signal.
bool WallThreads::IsUnknownTooLong(const WatchedThread& entry, Nanos now_ns) const {
  if (!IsSignalled(entry) || HasAnswered(*entry.thread)) return false;
  return entry.state == State::kBlocked || now_ns - entry.signalled_ns >= kMaxGap * interval_ns_;
}

// True if the thread has been asleep since its handler answered. The stack that the handler sampled
// is then still the thread's stack.
bool WallThreads::HasSettled(const WatchedThread& entry, Nanos cpu_ns) {
  const ThreadSlot& thread = *entry.thread;
  return IsSignalled(entry) && HasTrace(thread) &&
         IsWaiting(thread.wall_activity.load(std::memory_order_relaxed)) &&
         cpu_ns != 0 &&  // 0 if the thread has ended
         IsJustAfter(thread.wall_answer_ns.load(std::memory_order_relaxed), cpu_ns) &&
         WaitsAt(TaskSyscall(entry.tid), thread.wall_sp.load(std::memory_order_relaxed)) &&
         ReadClockOf(entry) == cpu_ns;  // the thread has not run during these checks
}

// True if a new sample might have a better stack, because the last stack lacked an unwind table,
// and tables have been published since.
bool WallThreads::HasBetterTables(const WatchedThread& entry) {
  return entry.thread->wall_lacks_tables.load(std::memory_order_relaxed) &&
         entry.publications != NativeCode::OfProcess().publications();
}

void WallThreads::SignalThread(WatchedThread& entry, Nanos now_ns, Nanos cpu_ns,
                               const Signal& signal) {
  ThreadSlot& thread = *entry.thread;
  thread.wall_look_ns.store(now_ns, std::memory_order_relaxed);
  thread.wall_look_cpu_ns.store(cpu_ns, std::memory_order_relaxed);
  // The system call in send() orders this store before the stores of the handler.
  thread.wall_answer_ns.store(0, std::memory_order_relaxed);
  entry.signalled_ns = now_ns;
  entry.publications = NativeCode::OfProcess().publications();
  entry.ask_after = kPatience;
  entry.state = signal.send(thread) ? State::kSignalled : State::kUnsignalled;
  counts_.signals += entry.state == State::kSignalled ? 1 : 0;
  ScheduleIn(entry, 1);
}

void WallThreads::ScheduleIn(WatchedThread& entry, int64_t intervals) {
  static_assert(kMaxGap <= TimingWheel::kMaxDelay);
  entry.due_tick = wheel_.Schedule(static_cast<uint32_t>(&entry - entries_.data()), intervals);
}

Nanos WallThreads::ReadClockOf(const WatchedThread& entry) {
  ++counts_.looks;
  return TaskCpuNanos(entry.tid);
}

// Makes a sample with the thread's last stack. The sample accounts for the thread's time up to
// `until_ns`.
void WallThreads::Credit(WatchedThread& entry, Nanos until_ns) {
  ThreadSlot& thread = *entry.thread;
  const WallInterval interval = AccountWallTime(thread, Sampling(), until_ns);
  if (interval.weight == 0) return;
  Sample sample = SampleOfLastStack(thread, SampleKind::kWall, interval.weight, until_ns);
  // The activity of a thread that is awake is unknown.
  sample.SetPayload(
      WallPayload{interval.elapsed_ns, entry.state == State::kAsleep
                                           ? thread.wall_activity.load(std::memory_order_relaxed)
                                           : ThreadActivity::kDefault});
  samples_.Push(thread, sample);
}

// Counts the thread's time up to `until_ns` as lost, because the thread's stacks are unknown.
void WallThreads::Lose(WatchedThread& entry, Nanos until_ns) {
  const WallInterval interval = AccountWallTime(*entry.thread, Sampling(), until_ns);
  if (interval.weight == 0) return;
  entry.thread->AddLost(SampleKind::kWall, LostReason::kNoSignal, interval.weight);
}

template <typename Visit>
void WallThreads::VisitEach(Visit visit) {
  for (size_t i = 0;; ++i) {
    const std::lock_guard lock(mutex_);
    if (i >= entries_.size()) return;
    if (entries_[i].thread != nullptr) visit(entries_[i]);
  }
}

void WallThreads::CloseSpans() {
  VisitEach([this](WatchedThread& entry) {
    if (entry.state == State::kAsleep) CloseInterval(entry);
  });
}

uint64_t WallThreads::UnwrittenIntervals() {
  uint64_t intervals = 0;
  if (Sampling().window.IsLimited()) return intervals;
  VisitEach([&](WatchedThread& entry) {
    if (entry.state != State::kAsleep) return;
    const bool still_sleeps = ReadClockOf(entry) == entry.baseline_cpu_ns;
    const Nanos until_ns = still_sleeps ? clock_() : entry.verified_ns;
    const Nanos slept_ns =
        until_ns - entry.thread->wall_baseline_ns.load(std::memory_order_relaxed);
    if (slept_ns > 0) intervals += static_cast<uint64_t>(slept_ns / interval_ns_);
  });
  return intervals;
}

void WallThreads::CloseInterval(WatchedThread& entry) {
  if (ReadClockOf(entry) == entry.baseline_cpu_ns) {
    entry.verified_ns = clock_();
  } else {
    ScheduleIn(entry, 1);
  }
  Credit(entry, entry.verified_ns);
}

void WallThreads::Finish() {
  VisitEach([this](WatchedThread& entry) {
    FinishEntry(entry, clock_());
    entry = {};
  });
}

void WallThreads::FinishEntry(WatchedThread& entry, Nanos now_ns) {
  if (IsUnknownTooLong(entry, now_ns)) {
    if (ReadClockOf(entry) != 0) Lose(entry, now_ns);
  } else if (HasTrace(*entry.thread)) {
    Credit(entry, now_ns);
  } else if (ReadClockOf(entry) != 0) {  // the thread is still alive
    const uint64_t weight = AccountWallTime(*entry.thread, Sampling(), now_ns).weight;
    // The last interval is not counted as lost, because its signal was on its way.
    const auto interval = static_cast<uint64_t>(interval_ns_);
    if (weight > interval) {
      entry.thread->AddLost(SampleKind::kWall, LostReason::kNoSignal, weight - interval);
    }
  }
}

WallThreads::Counts WallThreads::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace jprof
