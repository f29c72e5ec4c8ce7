// SamplerBias: what the JVM's own sampler of allocations errs by, and whether a recording has the
// objects that this concerns (docs/allocations.md).
//
// Thread-safe. Sums of threads are scaled to the JVM's count and have no such error; those of
// classes and sites have it, beyond the standard error that is recorded.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <string>

namespace jprof {

struct AllocPayload;

class SamplerBias {
 public:
  // `release`: of the JDK. `interval_bytes`: the shortest between samples.
  SamplerBias(int release, int64_t interval_bytes)
      : release_(release), interval_(static_cast<double>(interval_bytes)) {}

  // The cause, for the recording's settings; nullptr: none is known of this release.
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
  double concerned_ = 0;                                      // of bytes_
  double variance_ = 0;                                       // of concerned_, in bytes^2
  uint64_t smallest_ = std::numeric_limits<uint64_t>::max();  // object that is concerned, in bytes
};

}  // namespace jprof
