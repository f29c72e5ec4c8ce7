// SamplerBias: warns of the bias of the JVM's own sampler of allocations, if a recording has
// objects that it concerns (docs/allocations.md).
//
// Sums of threads are scaled to the JVM's count and have no such error; sums of classes and sites
// have it, in addition to the standard error that is recorded.
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
  // `release`: the JDK's. `interval_bytes`: the shortest interval of samples (RateBound).
  SamplerBias(int release, int64_t interval_bytes)
      : release_(release), interval_(static_cast<double>(interval_bytes)) {}

  // Returns the cause of the bias, for the recording's settings; nullptr: this release has none.
  const char* Cause() const;

  // Counts a sample and the bytes that it stands for.
  void Count(const AllocPayload& sample, double weight);

  // Returns a line for the answer to stop; empty unless more than a hundredth of the bytes are of
  // objects that the JVM samples wrongly, by more than four standard errors.
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
