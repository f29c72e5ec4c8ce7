// The signal handler of cpu samples (architecture.md, "the story of one sample").
//
// Async-signal-safe. Installed by the cpu engine; signals from other senders are dropped.
#pragma once

#include <atomic>
#include <csignal>

namespace jprof {

// The signal handler of wall samples (architecture.md, "the story of one sample").
//
// Async-signal-safe. Installed by the wall engine; signals from other senders are dropped.

void WallHandler(int signal, siginfo_t* info, void* ucontext);

// The signal handler of calls of functions that begin and end windows (engines/window).
//
// Async-signal-safe. On the calling thread, before the function's first instruction; signals from
// other senders are dropped.

void WindowHandler(int signal, siginfo_t* info, void* ucontext);

// The handler of the priming signal: sets the thread's slot in its thread-local, before a
// profiling signal needs it.
//
// Async-signal-safe. Installed by the thread primer; other signals are dropped.

void PrimeHandler(int signal, siginfo_t* info, void* ucontext);

void CpuHandler(int signal, siginfo_t* info, void* ucontext);

// Whether the profiler's process timer runs, so that its signals are ours. Set before the timer
// starts, cleared after its stop; relaxed: the signal comes later.
std::atomic<bool>& ProcessTimerIsOurs();

}  // namespace jprof
