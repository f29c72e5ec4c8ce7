// HandlerTimer measures the CPU time of a handler in the library `timed` of `scripts/bench account`
// (cmake/AccountLibraries.cmake). In the library that users load, the class does nothing.
#pragma once

#ifdef JPROF_TIMES_HANDLERS
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/os/clock.h"
#endif

namespace jprof {

#ifdef JPROF_TIMES_HANDLERS

// The number of handlers by their CPU time in microseconds, rounded down. The last place also has
// all longer times. test/bench/handler_times_file.cc writes them.
class HandlerTimes {
 public:
  static HandlerTimes& OfProcess() {
    static constinit HandlerTimes times;
    return times;
  }

  void Add(Nanos nanos) {
    const auto place = static_cast<size_t>(std::clamp<Nanos>(nanos / 1000, 0, kPlaces - 1));
    counts_[place].fetch_add(1, std::memory_order_relaxed);
  }

  static constexpr Nanos kPlaces = 1000;
  const std::array<std::atomic<uint32_t>, kPlaces>& counts() const { return counts_; }

 private:
  std::array<std::atomic<uint32_t>, kPlaces> counts_{};
};

class HandlerTimer {
 public:
  HandlerTimer() : from_ns_(ThreadCpuNanos()) {}
  ~HandlerTimer() { HandlerTimes::OfProcess().Add(ThreadCpuNanos() - from_ns_); }
  HandlerTimer(const HandlerTimer&) = delete;
  HandlerTimer& operator=(const HandlerTimer&) = delete;

 private:
  const Nanos from_ns_;
};

#else

class HandlerTimer {
 public:
  HandlerTimer() {}   // NOLINT(modernize-use-equals-default): an unused object would be a warning
  ~HandlerTimer() {}  // NOLINT(modernize-use-equals-default): as above
  HandlerTimer(const HandlerTimer&) = delete;
  HandlerTimer& operator=(const HandlerTimer&) = delete;
};

#endif

}  // namespace jprof
