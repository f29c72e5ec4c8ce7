// CpuSampling: the policy of cpu samples, and the functions that take them.
//
// A cpu sample stands for CPU time in whole intervals. A thread's CPU clock is cut at a random
// point of the first interval and then once per interval. A sample stands for the cuts since the
// thread's previous sample, by the thread's clock, not by the kernel's count of expiries: timers
// are checked at the kernel's ticks, and signals can be delayed or merged. The time that remains at
// the thread's end is accounted for there (RecordThreadEnd). So
//  1. the weights of a thread add up to its CPU clock to within one interval;
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

// Returns the nanoseconds of the intervals that end at cuts up to `cpu_ns` on the thread's CPU
// clock and have not been accounted for. Called on the sampled thread, under the guard, and by the
// engine after its stop: the first caller accounts for a cut. REQUIRES: the engine has set the
// thread's first cut (cpu_due_ns != 0); interval_ns > 0.
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

  // `expiries` is the kernel's count of intervals, used for threads without cuts on their clock.
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
  Nanos cpu_ns_ = 0;  // the thread's CPU clock before the guard; 0: not read
};

// Takes the sample of a signal, in the handler, unless it has been taken already or the thread is
// throttled. `slot_index` kCurrentThread: the signal is for any thread.
void TakeCpuSample(uint32_t slot_index, uint32_t expiries, void* ucontext);

// Takes a cpu sample with the stack of another kind's sample, if CPU time of the thread is due: the
// kernel has not checked its timer yet, or its signal is pending until this handler ends. REQUIRES:
// the thread was running.
void PiggybackCpuSample(ThreadSlot& thread, const WalkedStack& walked);

// Accounts for the CPU time of an ending thread (RecordThreadEnd).
void RecordCpuThreadEnd(ThreadSlot& thread);

}  // namespace jprof
