// The signal handler of wall samples (architecture.md, "the story of one sample").
//
// Async-signal-safe. Installed by the wall engine; signals from other senders are dropped.
#pragma once

#include <csignal>

namespace jprof {

void WallHandler(int signal, siginfo_t* info, void* ucontext);

}  // namespace jprof
