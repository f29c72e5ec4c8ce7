// CpuSampling: the policy of cpu samples; and cpu samples taken on other occasions.
//
// Async-signal-safe, on the sampled thread.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/sampling/handler_throttle.h"
#include "sigsafe/sampling/sample_policy.h"

namespace jprof {

class CpuSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kCpu;

  // `expiries`: the kernel's count of intervals, for threads without cuts on their clock.
  CpuSampling(uint32_t record_index, uint32_t expiries)
      : SamplePolicy(record_index), expiries_(expiries) {}

  uint64_t WeightWithoutRecord() const { return ExpiredWeight(); }
  uint64_t WeightWithoutGuard(const ProfiledThread& thread) const;
  bool Admit(ProfiledThread& thread);
  void OnTimeSpent(Nanos elapsed_ns);
  uint32_t PushFrames(const ProfiledThread& thread, Frame* frames, uint32_t room);
  void BeforeGuard(const ProfiledThread& thread);
  void Account(ProfiledThread& thread, Sample* sample);
  void OnOutside(ProfiledThread& thread);
  void OnStored(ProfiledThread& thread, const Sample& sample);

 private:
  uint64_t ExpiredWeight() const;

  const uint32_t expiries_;
  Nanos cpu_ns_ = 0;                         // the thread's CPU clock before the guard; 0: not read
  std::optional<HandlerThrottle> throttle_;  // only if the time of a refused sample stays due
};

// Takes a cpu sample with the stack of another kind's sample, if CPU time of the thread is due: the
// kernel has not checked its timer yet, or its signal is pending until this handler ends. REQUIRES:
// the thread was running.
void PiggybackCpuSample(ProfiledThread& thread, const WalkedStack& walked);

// The CPU time of an ending thread (RecordThreadEnd).
void RecordCpuThreadEnd(ProfiledThread& thread);

}  // namespace jprof
