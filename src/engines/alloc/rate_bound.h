// RateBound: lengthens the interval of the JVM's sampler if the requested one would sample too many
// objects.
//
// The JVM draws the gap to a thread's next sample at the sample before, from an exponential
// distribution whose mean is the interval in force then. We chose that interval before the gap
// began: so each of the objects in it is sampled with p = 1 - e^(-S/R), where R is the interval of
// its gap, and S/p stays unbiased however the interval changes.
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/types.h"

namespace jprof {

class RateBound {
 public:
  // The most samples a second. They cost some 13 ms of CPU time a second (docs/allocations.md), and
  // give the sum of a second to 2 %.
  static constexpr int64_t kMostPerSecond = 4000;

  // `is_bounded`: false: the factor stays 1. REQUIRES: interval_bytes > 0.
  RateBound(int64_t interval_bytes, bool is_bounded)
      : interval_(interval_bytes), is_bounded_(is_bounded) {}

  bool is_bounded() const { return is_bounded_; }

  // Returns the factor by which the JVM multiplies the interval of a gap that it draws now. Called
  // on any thread. Loads with acquire, which pairs with the release in Use: the JVM has that
  // interval by now.
  uint16_t factor() const { return factor_.load(std::memory_order_acquire); }
  // True if the factor has changed since the start.
  bool has_changed() const { return has_changed_.load(std::memory_order_relaxed); }

  // Counts a sample whose gap was drawn with `factor`. Any thread, lock-free. REQUIRES: factor > 0.
  void Count(uint64_t object_bytes, uint16_t factor);

  // Returns the factor that the rate of samples since the last call calls for. Called by one thread
  // at a time, ten times a second.
  uint16_t Wanted(Nanos now_ns);

  // Notes that the JVM draws gaps with `factor` from now on. Called by the caller of Wanted.
  void Use(uint16_t factor);

 private:
  const int64_t interval_;
  const bool is_bounded_;
  // Samples, as many as there would be if their gaps had been drawn with factor_; kSample each.
  std::atomic<uint64_t> seen_{0};
  std::atomic<uint16_t> factor_{1};
  std::atomic<bool> has_changed_{false};
  uint64_t seen_before_ = 0;  // seen_ at adapted_ns_
  Nanos adapted_ns_ = 0;      // 0: never
};

}  // namespace jprof
