// The signal handler of wall samples (architecture.md, "the story of one sample").
//
// Async-signal-safe. Installed by the wall engine; a signal that the engine did not send is
// forwarded.
#pragma once

#include <csignal>

#include "sigsafe/os/chained_handler.h"

namespace jprof {

void WallHandler(int signal, siginfo_t* info, void* ucontext);

// Who gets the signals that are not ours. Set before WallHandler is installed.
ChainedHandler& WallHandlerChain();

}  // namespace jprof
