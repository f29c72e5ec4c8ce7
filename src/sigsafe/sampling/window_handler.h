// The signal handler of calls of functions that begin and end windows (engines/window).
//
// Async-signal-safe. On the calling thread, before the function's first instruction; signals from
// other senders are dropped.
#pragma once

#include <csignal>

namespace jprof {

void WindowHandler(int signal, siginfo_t* info, void* ucontext);

}  // namespace jprof
