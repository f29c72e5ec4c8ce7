// The handler of the priming signal: sets the thread's slot in its thread-local, before a
// profiling signal needs it.
//
// Async-signal-safe. Installed by the thread primer; other signals are dropped.
#pragma once

#include <csignal>

namespace jprof {

void PrimeHandler(int signal, siginfo_t* info, void* ucontext);

}  // namespace jprof
