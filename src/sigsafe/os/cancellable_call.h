// The number of a system call that glibc makes in a function of its own, as its releases from 2.41
// on do for calls at which a thread can be cancelled: poll, epoll_wait, select, read and others.
//
// Async-signal-safe; some system calls (safe_load.h).
#pragma once

#include <ucontext.h>

namespace jprof {

// The number of the system call that the signal has interrupted, by what glibc's wrapper has pushed
// for that function; -1: not known. REQUIRES: WasBlockedInSyscall(context) (registers.h).
long CancellableCallNumber(const ucontext_t* context);

}  // namespace jprof
