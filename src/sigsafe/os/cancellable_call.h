// CancellableCallNumber: the number of a system call at which a thread can be cancelled, such as
// poll, epoll_wait, select or read. From 2.41 on, glibc's wrappers make these calls through a
// common function, __syscall_cancel.
//
// Async-signal-safe; makes some system calls (safe_load.h).
#pragma once

#include <ucontext.h>

namespace jprof {

// Returns the number of the system call that the signal has interrupted: glibc's wrapper has pushed
// this number as an argument of __syscall_cancel. Returns -1 if the number is unknown. REQUIRES:
// WasBlockedInSyscall(context) (registers.h).
long CancellableCallNumber(const ucontext_t* context);

}  // namespace jprof
