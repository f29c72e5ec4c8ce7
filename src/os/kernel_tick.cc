#include "os/kernel_tick.h"

#include <ctime>

namespace jprof {

// The resolution of the coarse clocks is the tick (Linux v6.1 kernel/time/posix-timers.c,
// posix_get_coarse_res). Values outside the range of all configurations are ignored: HZ is 100 to
// 1000.
Nanos KernelTickNanos() {
  constexpr Nanos kSlowest = 10'000'000;
  timespec resolution{};
  if (clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) != 0) return kSlowest;
  const Nanos tick_ns =
      static_cast<Nanos>(resolution.tv_sec) * kNanosPerSecond + resolution.tv_nsec;
  return tick_ns >= kSlowest / 20 && tick_ns <= kSlowest ? tick_ns : kSlowest;
}

}  // namespace jprof
