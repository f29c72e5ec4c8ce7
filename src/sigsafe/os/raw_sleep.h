// RawSleep: nanosleep(2) by a raw system call, for polling loops on threads of the program: no
// cancellation point, errno is preserved.
#pragma once

#include <sys/syscall.h>

#include <ctime>

#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof {

// REQUIRES: 0 <= nanos < 1 s.
inline void RawSleep(Nanos nanos) {
  JPROF_CHECK(nanos >= 0 && nanos < kNanosPerSecond);
  const timespec time{0, static_cast<long>(nanos)};
  static_cast<void>(RawSyscall(SYS_nanosleep, RawArgument(&time), 0));
}

}  // namespace jprof
