// The signal handler of cpu samples (architecture.md, "the story of one sample").
//
// Async-signal-safe. Installed by the cpu engine; a signal that the engine did not send is dropped.
#pragma once

#include <csignal>

namespace jprof {

void CpuHandler(int signal, siginfo_t* info, void* ucontext);

}  // namespace jprof
