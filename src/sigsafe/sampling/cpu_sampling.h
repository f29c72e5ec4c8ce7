// CpuSampling: the policy of cpu samples; and cpu samples taken on other occasions.
//
// Async-signal-safe, on the sampled thread.
#pragma once

#include <cstdint>

#include "sigsafe/sampling/sample_policy.h"

namespace jprof {

class CpuSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kCpu;

  // `expiries`: the kernel's count of intervals, for threads without cuts on their clock.
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

// Takes the sample of a signal, unless it has been taken already or the thread is throttled. In the
// handler. `slot_index`: kCurrentThread: a signal for any thread.
void TakeCpuSample(uint32_t slot_index, uint32_t expiries, void* ucontext);

// Takes a cpu sample with the stack of another kind's sample, if CPU time of the thread is due: the
// kernel has not checked its timer yet, or its signal is pending until this handler ends. REQUIRES:
// the thread was running.
void PiggybackCpuSample(ThreadSlot& thread, const WalkedStack& walked);

// The CPU time of an ending thread (RecordThreadEnd).
void RecordCpuThreadEnd(ThreadSlot& thread);

}  // namespace jprof
