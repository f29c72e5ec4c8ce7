// The signal handler of cpu samples (architecture.md, "the story of one sample").
//
// Async-signal-safe. Installed by the cpu engine; a signal that the engine did not send is dropped.
#pragma once

#include <atomic>
#include <csignal>

namespace jprof {

void CpuHandler(int signal, siginfo_t* info, void* ucontext);

// Whether signals of the process's CPU timer are ours. Set before it runs, cleared after it was
// stopped; relaxed: the signal comes later.
std::atomic<bool>& ProcessTimerIsOurs();

}  // namespace jprof
