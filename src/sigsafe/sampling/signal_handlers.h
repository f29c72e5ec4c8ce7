// The signal handlers of the profiler (docs/architecture.md, "The story of one sample").
//
//   CpuHandler     takes cpu samples; installed by the cpu engine
//   WallHandler    takes wall samples; installed by the wall engine
//   WindowHandler  opens and closes windows (engines/method/window_engine.h)
//   PrimeHandler   sets the thread's slot; installed by the thread primer
//   StackHandler   answers requests for the thread's stack; installed by the StackAsker
//
// Async-signal-safe. Signals that the profiler has not sent are dropped.
#pragma once

#include <atomic>
#include <csignal>

namespace jprof {

// Takes a wall sample of the interrupted thread.
void WallHandler(int signal, siginfo_t* info, void* ucontext);

// Opens the window when a function of the option `begin=` is called, and closes it when a function
// of `end=` is called. A function that is named in both options opens the window if it is closed,
// else closes it. Runs on the calling thread, before the function's first instruction.
void WindowHandler(int signal, siginfo_t* info, void* ucontext);

// Handles the priming signal: stores the slot of the interrupted thread in a thread-local variable,
// before a profiling signal needs the slot.
void PrimeHandler(int signal, siginfo_t* info, void* ucontext);

// Takes the stack of the interrupted thread for the threads that have asked for it
// (stack_requests.h).
void StackHandler(int signal, siginfo_t* info, void* ucontext);

// Takes a cpu sample of the interrupted thread.
void CpuHandler(int signal, siginfo_t* info, void* ucontext);

// True while the profiler's process-wide timer runs. While it is true, every signal of a
// process-wide timer is taken for the profiler's. Set before the timer starts and cleared after the
// timer stops. relaxed: the signals come after the store.
std::atomic<bool>& ProcessTimerIsOurs();

}  // namespace jprof
