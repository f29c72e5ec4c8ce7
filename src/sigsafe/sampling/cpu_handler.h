// The signal handler of cpu samples (architecture.md, "the story of one sample").
//
// Async-signal-safe. Installed by the cpu engine; signals from other senders are dropped.
#pragma once

#include <atomic>
#include <csignal>

namespace jprof {

void CpuHandler(int signal, siginfo_t* info, void* ucontext);

// Whether the profiler's process timer runs, so that its signals are ours. Set before the timer
// starts, cleared after its stop; relaxed: the signal comes later.
std::atomic<bool>& ProcessTimerIsOurs();

}  // namespace jprof
