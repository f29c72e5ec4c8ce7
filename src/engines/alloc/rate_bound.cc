#include "engines/alloc/rate_bound.h"

#include <algorithm>
#include <cmath>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

// Caps the factor. With an interval of 512 KiB, the cap gives gaps of 50 MB, enough for an
// allocation rate of 200 GB a second.
constexpr double kMostFactor = 100;
// The rate that a new factor aims at, and the rate below which the factor is reduced. Both are so
// far from the bound and from each other that the random variation of the count in a tenth of a
// second (4 standard errors) does not change the factor.
constexpr double kAimPerSecond = 0.8 * RateBound::kMostPerSecond;
constexpr double kFewestPerSecond = 0.5 * RateBound::kMostPerSecond;
// The shortest time with enough samples for a decision.
constexpr Nanos kShortestPeriod = kNanosPerSecond / 20;

// The part of RateBound::seen_ that stands for one sample.
constexpr uint64_t kSample = 256;

}  // namespace

// Approximates the probability that an object of S bytes is sampled at interval R by S / (R + S).
void RateBound::Count(uint64_t object_bytes, uint16_t factor) {
  JPROF_CHECK(factor > 0);
  if (!is_bounded_) return;
  const uint64_t now = factor_.load(std::memory_order_relaxed);
  const auto interval = static_cast<uint64_t>(interval_);
  const uint64_t samples = factor == now ? kSample
                                         : kSample * (factor * interval + object_bytes) /
                                               (now * interval + object_bytes);
  seen_.fetch_add(samples, std::memory_order_relaxed);
}

uint16_t RateBound::Wanted(Nanos now_ns) {
  const uint16_t factor = factor_.load(std::memory_order_relaxed);
  const bool is_first = adapted_ns_ == 0;
  const Nanos period_ns = now_ns - adapted_ns_;
  if (!is_bounded_ || (!is_first && period_ns < kShortestPeriod)) return factor;
  const uint64_t seen = seen_.load(std::memory_order_relaxed);
  const double samples = static_cast<double>(seen - seen_before_) / kSample;
  seen_before_ = seen;
  adapted_ns_ = now_ns;
  if (is_first) return factor;
  const double per_second = samples * kNanosPerSecond / static_cast<double>(period_ns);
  const bool is_right =
      per_second <= kMostPerSecond && (factor == 1 || per_second >= kFewestPerSecond);
  if (is_right) return factor;
  // A longer interval hardly reduces the samples of large objects, so the rate might still be above
  // the aim; later calls bring the rate nearer to the aim.
  const double wanted = std::ceil(factor * per_second / kAimPerSecond);
  return static_cast<uint16_t>(std::clamp(wanted, 1.0, kMostFactor));
}

void RateBound::Use(uint16_t factor) {
  has_changed_.store(true, std::memory_order_relaxed);
  factor_.store(factor, std::memory_order_release);
}

}  // namespace jprof
