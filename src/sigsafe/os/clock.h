// The clocks of samples. Async-signal-safe: clock_gettime is on POSIX's list of safe functions, and
// RawSyscall is safe by its contract.
//
// CPU clocks are read by a system call that no preloaded library can replace: libfaketime shifts
// and scales every clock that goes through the C library's clock_gettime, and a CPU clock that
// jumps by days would result in days of samples. The C library makes a system call for these clocks
// too, so the raw call costs nothing more. CLOCK_MONOTONIC is read through the C library, without a
// system call, so that the time agrees with the C library's timers.
#pragma once

#include <sys/syscall.h>

#include <ctime>

#include "sigsafe/base/types.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof {

inline Nanos NanosOf(const timespec& time) {
  return static_cast<Nanos>(time.tv_sec) * kNanosPerSecond + time.tv_nsec;
}

// Returns the time of the clock, or 0 if the clock no longer exists because its thread has exited.
// A system call, about 200 ns.
inline Nanos ReadClock(clockid_t clock) {
  timespec now{};
  static_cast<void>(RawSyscall(SYS_clock_gettime, clock, RawArgument(&now)));
  return NanosOf(now);
}

inline Nanos MonotonicNanos() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return NanosOf(now);
}

// Returns the CPU time that the calling thread has used. A system call, about 200 ns.
inline Nanos ThreadCpuNanos() { return ReadClock(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace jprof
