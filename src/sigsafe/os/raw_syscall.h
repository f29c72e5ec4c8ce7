// RawSyscall: one system call without the C library.
//
// Called on any thread, in handlers too. Async-signal-safe: never touches errno (and so no
// thread-local), is never a cancellation point, and no interposer sees it. Returns what the kernel
// returns: a value, or -errno in [-4095, -1]. Pointer arguments are passed with RawArgument().
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include "sigsafe/os/raw_syscall_x64.h"
#elif defined(__aarch64__)
#include "sigsafe/os/raw_syscall_aarch64.h"
#else
#error "no raw_syscall_<architecture>.h for this processor"
#endif

namespace jprof {

inline long RawArgument(const void* pointer) { return reinterpret_cast<intptr_t>(pointer); }

}  // namespace jprof
