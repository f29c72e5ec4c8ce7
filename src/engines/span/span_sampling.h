// SpanSampling: the policy of spans. On the thread whose scope is being closed, called by Java.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sigsafe/sampling/sample_policy.h"

namespace jprof {

struct [[gnu::packed]] SpanPayload {
  static constexpr SampleKind kKind = SampleKind::kSpan;

  Nanos begin_ns;  // CLOCK_MONOTONIC, not after the sample
};

class SpanSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kSpan;

  explicit SpanSampling(Nanos begin_ns) : begin_ns_(begin_ns) {}

  uint64_t WeightWithoutGuard(const ThreadSlot&) const { return 1; }
  void Account(ThreadSlot&, Sample* sample) const {
    sample->weight = 1;
    sample->SetPayload(SpanPayload{std::min(begin_ns_, sample->time_ns)});
  }

 private:
  const Nanos begin_ns_;
};

}  // namespace jprof
