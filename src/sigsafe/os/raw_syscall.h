// RawSyscall: one system call without the C library.
// RawSleep: nanosleep(2) by RawSyscall.
//
// Called on any thread, in handlers too. Async-signal-safe: does not touch errno (and so no
// thread-local), is not a cancellation point, and cannot be interposed. RawSyscall returns the
// kernel's result: a value, or -errno in [-4095, -1]. Pointer arguments are passed with
// RawArgument().
#pragma once

#include <sys/syscall.h>

#include <cstdint>
#include <ctime>

#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"
#include "sigsafe/os/syscall_instruction.h"  // IWYU pragma: export

namespace jprof {

inline long RawArgument(const void* pointer) { return reinterpret_cast<intptr_t>(pointer); }

// Sleeps for `nanos`. Meant for polling loops on threads of the program: RawSleep is not a
// cancellation point and preserves errno. REQUIRES: 0 <= nanos < 1 s.
inline void RawSleep(Nanos nanos) {
  JPROF_CHECK(nanos >= 0 && nanos < kNanosPerSecond);
  const timespec time{0, static_cast<long>(nanos)};
  static_cast<void>(RawSyscall(SYS_nanosleep, RawArgument(&time), 0));
}

}  // namespace jprof
