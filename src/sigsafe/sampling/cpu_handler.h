// The signal handler of cpu samples (architecture.md, "the story of one sample").
//
// Async-signal-safe. Installed by the cpu engine; a signal that the engine did not send is
// forwarded.
#pragma once

#include <csignal>

#include "sigsafe/os/chained_handler.h"

namespace jprof {

void CpuHandler(int signal, siginfo_t* info, void* ucontext);

// Who gets the signals that are not ours. Set before CpuHandler is installed.
ChainedHandler& CpuHandlerChain();

}  // namespace jprof
