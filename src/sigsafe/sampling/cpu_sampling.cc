#include "sigsafe/sampling/cpu_sampling.h"

#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/left_out.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {
namespace {

// After a long cpu sample, refuses further samples until the thread has used as much CPU time as
// the sample took. Otherwise a handler that takes longer than an interval (a deep stack, a short
// interval) would find the next signal pending at every return, and the thread would make no
// progress.
//
// A sample is long if it takes a quarter of the interval. While samples are shorter than half of
// the interval, the next signal comes after the thread has used as much time anyway.
//
// The time of refused samples stays due and goes to the next sample (cpu_sampling.h).
//
// One object for each handler, on the sampled thread. Async-signal-safe.
class HandlerThrottle {
 public:
  // `begin_ns` is the time of the thread's CPU clock at the start of the handler.
  HandlerThrottle(ThreadSlot& thread, Nanos begin_ns)
      : thread_(thread),
        begin_ns_(begin_ns),
        throttled_until_ns_(thread.cpu_throttled_until_ns.load(std::memory_order_relaxed)) {}

  // True if the sample has to be refused.
  bool IsThrottled() const { return begin_ns_ < throttled_until_ns_; }

  // Called at the end of a handler that has taken a sample. `elapsed_ns` is the time since the
  // handler's start. It includes waiting for a processor, so the CPU clock decides. The clock is
  // not read after a short sample.
  void End(Nanos elapsed_ns) {
    const Nanos long_ns = Sampling().IntervalOf(SampleKind::kCpu) / 4;
    if (elapsed_ns < long_ns) return;
    const Nanos now_ns = ThreadCpuNanos();
    const Nanos used_ns = now_ns - begin_ns_;
    if (used_ns < long_ns) return;
    thread_.cpu_throttled_until_ns.store(now_ns + used_ns, std::memory_order_relaxed);
  }

 private:
  ThreadSlot& thread_;
  const Nanos begin_ns_;
  const Nanos throttled_until_ns_;
};

// True if the engine has set cuts on the thread's CPU clock: time that is not sampled then stays
// due.
bool IsCut(const ThreadSlot& thread) {
  return thread.cpu_due_ns.load(std::memory_order_relaxed) != 0;
}

// True if the thread's clock, which shows `cpu_ns`, has passed a cut.
bool IsDue(const ThreadSlot& thread, Nanos cpu_ns) {
  const Nanos due_ns = thread.cpu_due_ns.load(std::memory_order_relaxed);
  return due_ns != 0 && cpu_ns >= due_ns;
}

// True if a sample has been taken for an earlier cut whose signal had not been handled yet
// (PiggybackCpuSample). Returns true once for each such sample.
bool WasPiggybacked(ThreadSlot& thread) {
  if (!thread.cpu_piggybacked.load(std::memory_order_relaxed)) return false;
  thread.cpu_piggybacked.store(false, std::memory_order_relaxed);
  return true;
}

}  // namespace

// Returns 0 if CPU time is not sampled. That happens if a handler is delayed while its sampler
// stops and another sampler, without cpu samples, starts.
uint64_t CpuSampling::ExpiredWeight() const {
  return expiries_ * static_cast<uint64_t>(Sampling().IntervalOf(kKind));
}

uint64_t CpuSampling::WeightWithoutGuard(const ThreadSlot& thread) const {
  return IsCut(thread) ? 0 : ExpiredWeight();
}

// Reads the clock after the walk, so that a sample has the time of its own walk: the time of a long
// walk would otherwise go to the code that runs after it.
void CpuSampling::BeforeGuard(const ThreadSlot& thread, const WalkedStack&) {
  if (IsCut(thread)) cpu_ns_ = ThreadCpuNanos();
}

void CpuSampling::Account(ThreadSlot& thread, Sample* sample) {
  const Nanos interval_ns = Sampling().IntervalOf(kKind);
  if (!IsCut(thread) || interval_ns == 0) {
    sample->weight = ExpiredWeight();
  } else {
    sample->weight = AccountCpuTime(thread, interval_ns, cpu_ns_);
  }
}

// Clears the last stack, so that RecordThreadEnd does not attribute the thread's remaining CPU time
// to it. The last stack is from an earlier sample; this sample has no stack.
void CpuSampling::OnOutside(ThreadSlot& thread) {
  thread.LastStackOf(kKind).trace.store(kNoCallTrace, std::memory_order_relaxed);
}

void CpuSampling::OnStored(ThreadSlot& thread, const Sample& sample) {
  LastStack& last = thread.LastStackOf(kKind);
  last.virtual_thread.store(sample.thread.virtual_id(), std::memory_order_relaxed);
  last.context.store(sample.context, std::memory_order_relaxed);
  last.time_ns.store(sample.time_ns, std::memory_order_relaxed);
  last.trace.store(sample.trace, std::memory_order_relaxed);
}

void TakeCpuSample(uint32_t slot_index, uint32_t expiries, void* ucontext) {
  if constexpr (kLeftOutOfSamples >= LeftOut::kHandler) return;
  if (!Sampling().traces.active()) return;
  ThreadSlot* const thread = sample_taker::SlotOf(slot_index);
  const InterruptedThread source(ucontext, InterruptedThread::KernelFrames::kInFront);
  if (thread == nullptr || !IsCut(*thread)) {
    if (slot_index == kCurrentThread && thread != nullptr) return;
    TakeSample(thread, Subject::Taker(), source, CpuSampling(expiries));
    return;
  }
  // The kernel accounts for the thread's time when the clock is read, and preempts the thread if its
  // time slice has ended (Linux v6.12 kernel/sched/fair.c, update_curr). So this wait comes before the
  // handler measures its own time.
  const Nanos cpu_ns = ThreadCpuNanos();
  const bool is_due = IsDue(*thread, cpu_ns);
  if (slot_index == kCurrentThread && !is_due) return;  // saves the walk
  if (WasPiggybacked(*thread) && !is_due) return;
  HandlerThrottle throttle(*thread, cpu_ns);
  if (throttle.IsThrottled()) return;
  throttle.End(TakeSample(thread, Subject::Taker(), source, CpuSampling(expiries)));
}

void PiggybackCpuSample(ThreadSlot& thread, const WalkedStack& walked) {
  if (!IsCut(thread) || !IsDue(thread, ThreadCpuNanos())) return;
  CpuSampling policy(0);
  RecordSample(policy, thread, walked);
  thread.cpu_piggybacked.store(true, std::memory_order_relaxed);
}

void RecordCpuThreadEnd(ThreadSlot& thread) { RecordThreadEnd(CpuSampling(0), thread); }

}  // namespace jprof
