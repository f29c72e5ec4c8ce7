#include "os/cpu_clock.h"

#include <ctime>

#include "sigsafe/os/clock.h"

namespace jprof {

// The resolution of the coarse clocks is the tick (Linux v6.1 kernel/time/posix-timers.c,
// posix_get_coarse_res). Kernels are configured with HZ 100 to 1000. So a value outside of 0.5 to
// 10 ms is ignored, and the result is then the longest tick, 10 ms.
Nanos KernelTickNanos() {
  constexpr Nanos kSlowest = 10'000'000;
  timespec resolution{};
  if (clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) != 0) return kSlowest;
  const Nanos tick_ns =
      static_cast<Nanos>(resolution.tv_sec) * kNanosPerSecond + resolution.tv_nsec;
  return tick_ns >= kSlowest / 20 && tick_ns <= kSlowest ? tick_ns : kSlowest;
}

// Encodes the clock as the kernel does: ~tid in the upper bits, then "per thread" and "scheduler
// clock" (Linux v6.1 include/linux/posix-timers.h, make_thread_cpuclock).
clockid_t CpuClockOf(Tid tid) {
  constexpr unsigned kPerThread = 4;
  constexpr unsigned kSchedulerClock = 2;
  return static_cast<clockid_t>(~static_cast<unsigned>(Value(tid)) << 3 | kPerThread |
                                kSchedulerClock);
}

Nanos TaskCpuNanos(Tid tid) { return ReadClock(CpuClockOf(tid)); }

}  // namespace jprof
