// CpuSampling is the policy of cpu samples. The functions below take such samples.
//
// A cpu sample stands for CPU time in whole intervals. Each thread's CPU clock has cuts: the first
// cut comes after a random part of an interval, and each further cut comes an interval after the
// previous one. A sample stands for one interval per cut since the thread's previous sample. Cuts
// are counted by the thread's clock, and not by the kernel's count of expiries, because timers are
// checked at the kernel's ticks, and signals can be delayed or merged. RecordThreadEnd accounts for
// the cuts between the last sample and the thread's end. So
//  1. the weights of a thread's samples add up to its CPU time to within one interval;
//  2. a thread that uses less than an interval is sampled with a probability proportional to its
//     CPU time.
//
// Async-signal-safe, on the sampled thread.
#pragma once

#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// Accounts for the intervals of the thread that have ended when its CPU clock shows `cpu_ns`,
// except those that an earlier call has accounted for. Returns the sum of these intervals in ns.
// Called on the sampled thread, under the guard of the table of stacks (CallTraceStorage), and by
// the engine after the engine's stop. If several calls reach a cut, the first one accounts for it.
// REQUIRES: the engine has set the thread's first cut (cpu_due_ns != 0); interval_ns > 0.
inline uint64_t AccountCpuTime(ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns) {
  Nanos due_ns = thread.cpu_due_ns.load(std::memory_order_relaxed);
  JPROF_CHECK(due_ns != 0 && interval_ns > 0);
  if (cpu_ns < due_ns) return 0;
  const Nanos weight_ns = ((cpu_ns - due_ns) / interval_ns + 1) * interval_ns;
  const bool first = thread.cpu_due_ns.compare_exchange_strong(due_ns, due_ns + weight_ns,
                                                               std::memory_order_relaxed);
  return first ? static_cast<uint64_t>(weight_ns) : 0;
}

class CpuSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kCpu;

  // `expiries` is the number of intervals that the kernel has counted. It determines the weight on
  // threads for whose CPU clock the engine has set no cuts.
  explicit CpuSampling(uint32_t expiries) : expiries_(expiries) {}

  uint64_t WeightWithoutSlot() const { return ExpiredWeight(); }
  uint64_t WeightWithoutGuard(const ThreadSlot& thread) const;
  void BeforeGuard(const ThreadSlot& thread, const WalkedStack& walked);
  void Account(ThreadSlot& thread, Sample* sample);
  void OnOutside(ThreadSlot& thread);
  void OnStored(ThreadSlot& thread, const Sample& sample);

 private:
  uint64_t ExpiredWeight() const;

  const uint32_t expiries_;
  Nanos cpu_ns_ = 0;  // time on the thread's CPU clock before the guard; 0 if it was not read
};

// Takes the sample for which a signal was sent. Called in the handler. Does nothing if the sample
// has been taken already, or if the thread is throttled after a long sample (HandlerThrottle in
// cpu_sampling.cc). `slot_index` is the index in the signal, or kCurrentThread for a signal of the
// process's timer.
void TakeCpuSample(uint32_t slot_index, uint32_t expiries, void* ucontext);

// Takes a cpu sample with the stack of another kind's sample, if the thread's clock has passed a
// cut whose signal has not been handled yet. Such a signal is late for one of two reasons: the
// kernel has not checked the timer yet, or the signal is pending until the running handler ends.
// REQUIRES: the thread was running.
void PiggybackCpuSample(ThreadSlot& thread, const WalkedStack& walked);

// Takes the last cpu sample of an ending thread (RecordThreadEnd).
void RecordCpuThreadEnd(ThreadSlot& thread);

}  // namespace jprof
