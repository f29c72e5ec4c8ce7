// FaultMask: SIGSEGV and SIGBUS opened for the rest of a handler on a thread that blocks them.
//
// The kernel ends the process when a load faults whose signal is blocked (Linux v6.1
// kernel/signal.c, force_sig_info_to_task), so guarded loads need both open. The JVM opens them
// when a thread attaches; a library may block them again.
//
// Async-signal-safe; free where nothing is blocked, else two system calls.
#pragma once

#include <ucontext.h>

namespace jprof {

// Called in a handler with its `ucontext`, whose mask the kernel restores when the handler returns.
// False: one of them is pending, which opening would deliver; guarded loads must not be used.
[[nodiscard]] bool OpenFaultSignals(const ucontext_t* ucontext);

}  // namespace jprof
