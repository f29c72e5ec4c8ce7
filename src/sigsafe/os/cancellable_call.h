// CancellableCallNumber: the number of a system call that glibc makes in a function of its own.
// glibc does so from 2.41 on for calls at which a thread can be cancelled: poll, epoll_wait,
// select, read and others.
//
// Async-signal-safe; makes some system calls (safe_load.h).
#pragma once

#include <ucontext.h>

namespace jprof {

// Returns the number of the system call that the signal has interrupted, as glibc's wrapper has
// pushed it for that function; -1: unknown. REQUIRES: WasBlockedInSyscall(context) (registers.h).
long CancellableCallNumber(const ucontext_t* context);

}  // namespace jprof
