#include "sigsafe/sampling/cpu_sampling.h"

#include <optional>

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
// The time of refused samples stays due and goes to the next sample (cpu_sampling.h). While
// handlers are short there is no cost, because the CPU clock is not read. It is read from the end
// of a long handler until a handler is short again.
//
// One object for each handler, on the sampled thread. Async-signal-safe.
class HandlerThrottle {
 public:
  static constexpr Nanos kLongNs = 10'000;

  explicit HandlerThrottle(ThreadSlot& thread)
      : thread_(thread),
        throttled_until_ns_(thread.cpu_throttled_until_ns.load(std::memory_order_relaxed)),
        begin_ns_(throttled_until_ns_ == 0 ? 0 : ThreadCpuNanos()) {}

  // True if the sample has to be refused.
  bool IsThrottled() const { return begin_ns_ < throttled_until_ns_; }

  // Called at the end of a handler that has taken a sample. `elapsed_ns` is the time since the
  // handler's start.
  void End(Nanos elapsed_ns) {
    if (elapsed_ns < kLongNs) {
      if (throttled_until_ns_ != 0) Set(0);
      return;
    }
    const Nanos now_ns = ThreadCpuNanos();
    const Nanos used_ns = begin_ns_ == 0 ? 0 : now_ns - begin_ns_;
    Set(used_ns < kLongNs ? now_ns : now_ns + used_ns);
  }

 private:
  void Set(Nanos until_ns) {
    thread_.cpu_throttled_until_ns.store(until_ns, std::memory_order_relaxed);
  }

  ThreadSlot& thread_;
  const Nanos throttled_until_ns_;
  const Nanos begin_ns_;
};

// True if the engine has set cuts on the thread's CPU clock: time that is not sampled then stays
// due.
bool IsCut(const ThreadSlot& thread) {
  return thread.cpu_due_ns.load(std::memory_order_relaxed) != 0;
}

// True if the thread's clock has passed a cut.
bool IsDue(const ThreadSlot& thread) {
  const Nanos due_ns = thread.cpu_due_ns.load(std::memory_order_relaxed);
  return due_ns != 0 && ThreadCpuNanos() >= due_ns;
}

// True if the sample for which this signal was sent has been taken already (PiggybackCpuSample).
bool WasPiggybacked(ThreadSlot& thread) {
  if (!thread.cpu_piggybacked.load(std::memory_order_relaxed)) return false;
  thread.cpu_piggybacked.store(false, std::memory_order_relaxed);
  return !IsDue(thread);
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
  std::optional<HandlerThrottle> throttle;  // set only if the time of a refused sample stays due
  if (thread != nullptr) {
    if (slot_index == kCurrentThread && !IsDue(*thread)) return;  // saves the walk
    if (WasPiggybacked(*thread)) return;
    if (IsCut(*thread)) throttle.emplace(*thread);
    if (throttle && throttle->IsThrottled()) return;
  }
  const Nanos elapsed_ns =
      TakeSample(thread, Subject::Taker(),
                 InterruptedThread(ucontext, InterruptedThread::KernelFrames::kInFront),
                 CpuSampling(expiries));
  if (throttle) throttle->End(elapsed_ns);
}

void PiggybackCpuSample(ThreadSlot& thread, const WalkedStack& walked) {
  if (!IsDue(thread)) return;
  CpuSampling policy(0);
  RecordSample(policy, thread, walked);
  thread.cpu_piggybacked.store(true, std::memory_order_relaxed);
}

void RecordCpuThreadEnd(ThreadSlot& thread) { RecordThreadEnd(CpuSampling(0), thread); }

}  // namespace jprof
