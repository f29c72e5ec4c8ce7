// TickSampling: the policy of ticks. On the allocating thread.
#pragma once

#include <cmath>
#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/sampling/sample_policy.h"

namespace jprof {

struct [[gnu::packed]] TickPayload {
  static constexpr SampleKind kKind = SampleKind::kTick;

  uint64_t object_bytes;
  uint32_t class_number;  // SampledClasses
};

// The bytes that a sampled object stands for. The JVM draws the gaps between samples from an
// exponential distribution with the interval as mean, so the object was sampled with probability 1
// - e^(-size/interval). REQUIRES: both > 0.
inline uint64_t TickWeight(int64_t object_bytes, int64_t interval_bytes) {
  JPROF_CHECK(object_bytes > 0 && interval_bytes > 0);
  const auto size = static_cast<double>(object_bytes);
  return static_cast<uint64_t>(
      std::llround(size / -std::expm1(-size / static_cast<double>(interval_bytes))));
}

class TickSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kTick;

  TickSampling(uint64_t weight, const TickPayload& payload)
      : SamplePolicy(kCurrentThread), weight_(weight), payload_(payload) {}

  uint64_t WeightWithoutRecord() const { return weight_; }
  uint64_t WeightWithoutGuard(const ProfiledThread&) const { return weight_; }
  void Account(ProfiledThread&, Sample* sample) const {
    sample->weight = weight_;
    sample->SetPayload(payload_);
  }

 private:
  const uint64_t weight_;
  const TickPayload payload_;
};

}  // namespace jprof
