#include "os/cpu_clock.h"

#include "sigsafe/os/clock.h"

namespace jprof {

// As the kernel encodes it: ~tid in the upper bits, then "per thread" and "scheduler clock" (Linux
// v6.1 include/linux/posix-timers.h, make_thread_cpuclock).
clockid_t CpuClockOf(Tid tid) {
  constexpr unsigned kPerThread = 4;
  constexpr unsigned kSchedulerClock = 2;
  return static_cast<clockid_t>(~static_cast<unsigned>(Value(tid)) << 3 | kPerThread |
                                kSchedulerClock);
}

Nanos TaskCpuNanos(Tid tid) { return ReadClock(CpuClockOf(tid)); }

}  // namespace jprof
