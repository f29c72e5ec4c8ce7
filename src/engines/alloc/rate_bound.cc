#include "engines/alloc/rate_bound.h"

#include <algorithm>
#include <cmath>

#include "sigsafe/base/check.h"
#include "sigsafe/base/split_mix.h"

namespace jprof {
std::optional<uint16_t> RateBound::Keep(uint64_t object_bytes) {
  JPROF_CHECK(object_bytes > 0);
  if (!is_bounded_) return 1;
  const uint64_t number = seen_.fetch_add(1, std::memory_order_relaxed);
  const uint16_t factor = factor_.load(std::memory_order_relaxed);
  if (factor == 1) return factor;
  const double intervals = static_cast<double>(object_bytes) / static_cast<double>(interval_);
  // exp() would need glibc 2.29.
  const double kept = std::expm1(-intervals / factor) / std::expm1(-intervals);
  if (UniformOf(SplitMix((number + 1) * kSplitMixStep)) >= kept) return std::nullopt;
  return factor;
}

void RateBound::Adapt(Nanos now_ns) {
  const uint64_t seen = seen_.load(std::memory_order_relaxed);
  const auto samples = static_cast<double>(seen - seen_before_);
  const auto seconds = static_cast<double>(now_ns - adapted_ns_) * 1e-9;
  const bool is_first = adapted_ns_ == 0;
  seen_before_ = seen;
  adapted_ns_ = now_ns;
  if (is_first || seconds <= 0) return;
  const double factor = std::ceil(samples / seconds / static_cast<double>(kMostPerSecond));
  factor_.store(static_cast<uint16_t>(std::clamp(factor, 1.0, static_cast<double>(kMostFactor))),
                std::memory_order_relaxed);
}

}  // namespace jprof
