// The handler of the priming signal: the thread learns which record is its own, before a profiling
// signal needs it.
//
// Async-signal-safe. Installed by the thread primer; a signal that it did not send is forwarded.
#pragma once

#include <csignal>

#include "sigsafe/os/chained_handler.h"

namespace jprof {

void PrimeHandler(int signal, siginfo_t* info, void* ucontext);

// Who gets the signals that are not ours. Set before PrimeHandler is installed.
ChainedHandler& PrimeHandlerChain();

}  // namespace jprof
