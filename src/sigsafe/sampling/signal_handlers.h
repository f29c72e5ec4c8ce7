// The signal handlers of the profiler (docs/architecture.md, "The story of one sample").
//
//   CpuHandler     takes cpu samples; installed by the cpu engine
//   WallHandler    takes wall samples; installed by the wall engine
//   WindowHandler  opens and closes windows (engines/method/window_engine.h)
//   PrimeHandler   sets the thread's slot; installed by the thread primer
//
// Async-signal-safe. Signals from other senders are dropped.
#pragma once

#include <atomic>
#include <csignal>

namespace jprof {

// Takes a wall sample of the interrupted thread.
void WallHandler(int signal, siginfo_t* info, void* ucontext);

// Opens, closes or turns the window when a function that starts or ends windows is called. Runs on
// the calling thread, before the function's first instruction.
void WindowHandler(int signal, siginfo_t* info, void* ucontext);

// Handles the priming signal: sets the thread's slot in its thread-local, before a profiling signal
// needs it.
void PrimeHandler(int signal, siginfo_t* info, void* ucontext);

// Takes a cpu sample of the interrupted thread.
void CpuHandler(int signal, siginfo_t* info, void* ucontext);

// True while the profiler's process timer runs, so that its signals are ours. Set before the timer
// starts, cleared after it stops; relaxed: the signal comes later.
std::atomic<bool>& ProcessTimerIsOurs();

}  // namespace jprof
