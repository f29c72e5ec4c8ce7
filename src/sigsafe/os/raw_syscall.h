// RawSyscall: one system call without the C library.
//
// Called on any thread, in handlers too. Async-signal-safe: touches no errno (and so no
// thread-local), is no cancellation point, and cannot be interposed. Returns the kernel's result: a
// value, or -errno in [-4095, -1]. Pointer arguments are passed with RawArgument().
#pragma once

#include <cstdint>

#include "sigsafe/os/syscall_instruction.h"  // IWYU pragma: export

namespace jprof {

inline long RawArgument(const void* pointer) { return reinterpret_cast<intptr_t>(pointer); }

}  // namespace jprof
