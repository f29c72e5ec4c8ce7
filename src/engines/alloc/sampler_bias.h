// SamplerBias warns if a recording has objects that the JVM's own sampler samples too often or too
// rarely (docs/allocations.md).
//
// Sums of threads are scaled to the JVM's exact counters, so this bias does not affect them. Sums
// of classes and sites have the bias in addition to the standard error that is recorded.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <string>

namespace jprof {

struct AllocPayload;

class SamplerBias {
 public:
  // `release` is the release of the JDK. `interval_bytes` is the shortest interval of samples
  // (RateBound).
  SamplerBias(int release, int64_t interval_bytes)
      : release_(release), interval_(static_cast<double>(interval_bytes)) {}

  // Returns the cause of the bias, for the recording's settings; nullptr if this release has no
  // bias.
  const char* Cause() const;

  // Counts a sample and the bytes that it stands for.
  void Count(const AllocPayload& sample, double weight);

  // Returns a warning for the answer to the command `stop`. The text is empty unless the share of
  // biased objects in all bytes exceeds 1 % by more than four standard errors.
  std::string Warning() const;

 private:
  bool Concerns(const AllocPayload& sample) const;

  const int release_;
  const double interval_;
  mutable std::mutex mutex_;  // guards the sums
  double bytes_ = 0;
  double concerned_ = 0;                                      // bytes of biased objects
  double variance_ = 0;                                       // variance of concerned_, in bytes^2
  uint64_t smallest_ = std::numeric_limits<uint64_t>::max();  // smallest biased object, in bytes
};

}  // namespace jprof
