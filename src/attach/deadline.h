// Deadline: the time on CLOCK_MONOTONIC at which a wait ends.
#pragma once

#include <algorithm>
#include <ctime>

#include "sigsafe/base/types.h"
#include "sigsafe/os/clock.h"

namespace jprof {

// The longest time that jprof waits for a JVM that has just started.
inline constexpr Nanos kStartTimeout = kNanosPerSecond;

class Deadline {
 public:
  static Deadline In(Nanos duration_ns) { return Deadline(MonotonicNanos() + duration_ns); }

  bool HasPassed() const { return MonotonicNanos() >= at_ns_; }

  // Sleeps for one step of a polling loop.
  static void Pause(long step_ns = 1'000'000) {
    const timespec step{0, step_ns};
    nanosleep(&step, nullptr);
  }

  // Returns the remaining milliseconds for poll(2), rounded up, at least 0.
  int MillisLeft() const {
    constexpr Nanos kNanosPerMilli = 1'000'000;
    constexpr Nanos kLongest = 1 << 30;
    const Nanos left_ns = std::max<Nanos>(at_ns_ - MonotonicNanos(), 0);
    return static_cast<int>(std::min((left_ns + kNanosPerMilli - 1) / kNanosPerMilli, kLongest));
  }

 private:
  explicit Deadline(Nanos at_ns) : at_ns_(at_ns) {}

  Nanos at_ns_;
};

}  // namespace jprof
