// The clocks of samples. Async-signal-safe: clock_gettime is on POSIX's list.
#pragma once

#include <ctime>

#include "sigsafe/base/types.h"

namespace jprof {

// 0 if the clock no longer exists: its thread has exited.
inline Nanos ReadClock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<Nanos>(now.tv_sec) * kNanosPerSecond + now.tv_nsec;
}

inline Nanos MonotonicNanos() { return ReadClock(CLOCK_MONOTONIC); }

// CPU time that the calling thread has used. A system call, about 200 ns.
inline Nanos ThreadCpuNanos() { return ReadClock(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace jprof
