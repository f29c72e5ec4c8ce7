// Nap: sleeps for a moment, for loops that wait in code of the program's: no cancellation point,
// errno is kept.
#pragma once

#include <sys/syscall.h>

#include <ctime>

#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof {

// REQUIRES: less than a second.
inline void RawSleep(Nanos nanos) {
  JPROF_CHECK(nanos >= 0 && nanos < kNanosPerSecond);
  const timespec time{0, static_cast<long>(nanos)};
  static_cast<void>(RawSyscall(SYS_nanosleep, RawArgument(&time), 0));
}

}  // namespace jprof
