// RateBound: a longer interval for the JVM's sampler where its own would sample too many objects.
//
// The JVM draws the gap to a thread's next sample at the sample before, from an exponential
// distribution whose mean is the interval in force then. Whatever made us choose that interval was
// before the gap: so each of the objects in it is sampled with p = 1 - e^(-S/R), R the interval of
// its gap, and S/p stays unbiased however the interval changes.
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/types.h"

namespace jprof {

class RateBound {
 public:
  // Some 13 ms of CPU time a second (docs/allocations.md); the sum of a second is known to 2 %.
  static constexpr int64_t kMostPerSecond = 4000;

  // `is_bounded`: else the factor stays 1. REQUIRES: interval_bytes > 0.
  RateBound(int64_t interval_bytes, bool is_bounded)
      : interval_(interval_bytes), is_bounded_(is_bounded) {}

  bool is_bounded() const { return is_bounded_; }

  // The intervals of a gap that is drawn now. Any thread.
  // acquire, and release in Use: not newer than what the JVM has drawn by before this call.
  uint16_t factor() const { return factor_.load(std::memory_order_acquire); }
  // Whether it has been another before.
  bool has_changed() const { return has_changed_.load(std::memory_order_relaxed); }

  // A sample whose gap was drawn with that factor. Any thread, lock-free. REQUIRES: factor > 0.
  void Count(uint64_t object_bytes, uint16_t factor);

  // The factor that the samples since the last call ask for. One thread at a time; ten times a
  // second.
  uint16_t Wanted(Nanos now_ns);

  // The JVM draws gaps with this factor from now on. As Wanted.
  void Use(uint16_t factor);

 private:
  const int64_t interval_;
  const bool is_bounded_;
  std::atomic<uint64_t> seen_{0};  // samples that there would be of gaps that are drawn now
  std::atomic<uint16_t> factor_{1};
  std::atomic<bool> has_changed_{false};
  uint64_t seen_before_ = 0;  // at adapted_ns_
  Nanos adapted_ns_ = 0;      // 0: never
};

}  // namespace jprof
