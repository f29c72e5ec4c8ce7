// The handler of the priming signal: the thread learns which record is its own, before a profiling
// signal needs it.
//
// Async-signal-safe. Installed by the thread primer; a signal that it did not send is dropped.
#pragma once

#include <csignal>

namespace jprof {

void PrimeHandler(int signal, siginfo_t* info, void* ucontext);

}  // namespace jprof
