// RateBound: samples at a longer interval where the JVM's own would sample too many objects.
//
// The JVM samples an object of S bytes with probability p = 1 - e^(-S/R), R its interval. Each of
// these samples is kept with probability p'/p, where p' is the probability at R' = factor * R: the
// kept samples are then distributed as if the JVM sampled at R'. Large objects, which p' samples
// nearly for certain, stay. The factor follows the rate of the past: no choice depends on the
// object's successors, so weights of R' are unbiased.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "sigsafe/base/types.h"

namespace jprof {

class RateBound {
 public:
  // Some 13 ms of CPU time a second (docs/allocations.md); the sum of a second is known to 1.6 %.
  static constexpr int64_t kMostPerSecond = 4000;

  // `is_bounded`: else every sample is kept.
  RateBound(int64_t interval_bytes, bool is_bounded)
      : interval_(interval_bytes), is_bounded_(is_bounded) {}

  // For each sample of the JVM: the factor of the interval that it is kept for, or nullopt: it is
  // not kept. Any thread, lock-free. REQUIRES: object_bytes > 0.
  std::optional<uint16_t> Keep(uint64_t object_bytes);

  bool is_bounded() const { return is_bounded_; }

  // Sets the factor by the samples since the last call. One thread at a time; ten times a second.
  void Adapt(Nanos now_ns);

 private:
  static constexpr int64_t kMostFactor = 1000;

  const int64_t interval_;
  const bool is_bounded_;
  std::atomic<uint64_t> seen_{0};    // samples of the JVM
  std::atomic<uint16_t> factor_{1};  // relaxed: a sample is kept for the one that it reads
  uint64_t seen_before_ = 0;         // at the last Adapt
  Nanos adapted_ns_ = 0;             // 0: never
};

}  // namespace jprof
