#include "engines/alloc/rate_bound.h"

#include <algorithm>
#include <cmath>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014), as a
// number in [0, 1).
double Uniform(uint64_t number) {
  uint64_t bits = (number + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace

std::optional<uint16_t> RateBound::Keep(uint64_t object_bytes) {
  JPROF_CHECK(object_bytes > 0);
  if (!is_bounded_) return 1;
  const uint64_t number = seen_.fetch_add(1, std::memory_order_relaxed);
  const uint16_t factor = factor_.load(std::memory_order_relaxed);
  if (factor == 1) return factor;
  const double intervals = static_cast<double>(object_bytes) / static_cast<double>(interval_);
  // exp() would need glibc 2.29.
  const double kept = std::expm1(-intervals / factor) / std::expm1(-intervals);
  if (Uniform(number) >= kept) return std::nullopt;
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
