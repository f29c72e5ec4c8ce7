// FaultHandler: the first handler of SIGSEGV and SIGBUS while stacks are walked. A fault of a
// guarded load ends there; every other one reaches the handler that was there before, the JVM's,
// with the same arguments and in the same signal mask: implicit null checks, safepoint polls and
// crash reports work as without us.
//
// Async-signal-safe. Costs another handler's fault one comparison.
#pragma once

#include <csignal>

#include "sigsafe/os/chained_handler.h"

namespace jprof {

// REQUIRES: FaultChain(signal) names a handler: Forward does nothing for SIG_DFL, and the faulting
// instruction would run for ever.
void FaultHandler(int signal, siginfo_t* info, void* ucontext);

// `signal` is SIGSEGV or SIGBUS.
ChainedHandler& FaultChain(int signal);

}  // namespace jprof
