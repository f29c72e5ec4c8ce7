// Unblocks SIGSEGV and SIGBUS for the rest of a handler on a thread that blocks them.
//
// The kernel kills a process that faults while the signal of the fault is blocked (Linux v6.1
// kernel/signal.c, force_sig_info_to_task), so guarded loads need both signals unblocked. The JVM
// unblocks them when a thread attaches; a library may block them again.
//
// Async-signal-safe. No cost where neither is blocked, else two system calls.
#pragma once

#include <ucontext.h>

namespace jprof {

// Called in a handler with its `ucontext`: the kernel restores the mask in it when the handler
// returns. False: one of the signals is pending and would be delivered by unblocking it; guarded
// loads must not be used.
[[nodiscard]] bool OpenFaultSignals(const ucontext_t* ucontext);

}  // namespace jprof
