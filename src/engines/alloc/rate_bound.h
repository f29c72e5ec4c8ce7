// RateBound lengthens the interval of the JVM's sampler if the requested interval would yield too
// many samples.
//
// The gap between two samples of a thread is the number of bytes that it allocates between them. At
// each sample, the JVM draws the next gap from an exponential distribution whose mean is the
// interval R in force at that time. R was chosen before the gap began, so it does not depend on the
// objects in the gap: an object of S bytes is sampled with probability p = 1 - e^(-S/R), and S/p
// stays an unbiased estimate however the interval changes.
//
// The factor is the interval in force divided by the requested interval.
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/types.h"

namespace jprof {

class RateBound {
 public:
  // The most samples a second. At this rate, sampling costs some 13 ms of CPU time a second
  // (docs/allocations.md), and the bytes of a second are known with a standard error of 2 %.
  static constexpr int64_t kMostPerSecond = 4000;

  // If `is_bounded` is false, the factor stays 1. REQUIRES: interval_bytes > 0.
  RateBound(int64_t interval_bytes, bool is_bounded)
      : interval_(interval_bytes), is_bounded_(is_bounded) {}

  bool is_bounded() const { return is_bounded_; }

  // Returns the factor of the gaps that the JVM draws now. Callable on any thread. acquire, paired
  // with the release store in Use(): the JVM was given the interval of this factor before the
  // factor was stored.
  uint16_t factor() const { return factor_.load(std::memory_order_acquire); }
  // True if the factor has changed since the start.
  bool has_changed() const { return has_changed_.load(std::memory_order_relaxed); }

  // Counts a sample whose gap was drawn with `factor`. Callable on any thread; lock-free. REQUIRES:
  // factor > 0.
  void Count(uint64_t object_bytes, uint16_t factor);

  // Returns the factor that suits the rate of samples since the last call. Called by one thread at
  // a time, ten times a second.
  uint16_t Wanted(Nanos now_ns);

  // Notes that the JVM draws gaps with `factor` from now on. Called on the thread that calls
  // Wanted().
  void Use(uint16_t factor);

 private:
  const int64_t interval_;
  const bool is_bounded_;
  // The number of samples so far, times kSample. Samples whose gap was drawn with another factor
  // are converted to the number that factor_ would have given.
  std::atomic<uint64_t> seen_{0};
  std::atomic<uint16_t> factor_{1};
  std::atomic<bool> has_changed_{false};
  uint64_t seen_before_ = 0;  // seen_ at adapted_ns_
  Nanos adapted_ns_ = 0;      // time of the last decision; 0 before the first
};

}  // namespace jprof
