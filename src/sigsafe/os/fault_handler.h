// FaultHandler: the handlers of SIGSEGV and SIGBUS while stacks are walked. They handle the faults
// of guarded loads. Every other fault reaches the previous handler, the JVM's, with the same
// arguments and the same signal mask: implicit null checks, safepoint polls and crash reports work
// as without the profiler.
//
// A library that installs its own handler over ours might keep calling ours until the process ends.
// So there are several places, each with a handler of ours: a separate function that forwards
// faults to one action, which never changes. When a library has installed its handler over one
// place, the next place is installed over the library's handler. So faults are forwarded from later
// places to earlier ones, and the first place calls the JVM's handler.
//
// A library might install its handler a second time, over a place that forwards to that handler:
// the handler and the place would then call each other forever. Therefore a forwarded fault is
// marked in its siginfo. A place that has already forwarded the fault passes the fault to the
// action of an earlier place, and if no earlier place is left, to the JVM itself.
//
// TakeFaultPlace and SetJvmFaultHook are called by one thread at a time, outside handlers. All
// other functions are async-signal-safe. For a fault that no guarded load has caused, our handler
// adds a few comparisons.
#pragma once

#include <csignal>
#include <cstddef>

namespace jprof {

inline constexpr size_t kFaultPlaces = 16;

using FaultHandler = void (*)(int, siginfo_t*, void*);

// Returns the function of a place. REQUIRES: the caller installs the function only after the place
// has been taken.
FaultHandler FaultHandlerAt(size_t place);

// Returns the action to which a place forwards, or nullptr if the place has not been taken.
// `signal` is SIGSEGV or SIGBUS.
const struct sigaction* ForwardedAction(int signal, size_t place);

// Takes a place and sets the action to which the place forwards. REQUIRES: the place has not been
// taken; `action` is a handler without SA_RESETHAND.
void TakeFaultPlace(int signal, size_t place, const struct sigaction& action);

// The function of HotSpot that is called by handlers installed over HotSpot's own handler. It
// returns nonzero if HotSpot, or a handler chained to HotSpot's, has handled the fault. If the
// fault was not handled, the value of `abort_if_unrecognized` decides: if it is nonzero, the
// function ends the process with a crash report; if it is 0, the function returns 0 (jdk-17+35
// src/hotspot/os/posix/signals_posix.cpp, JVM_HANDLE_XXX_SIGNAL).
using JvmFaultHook = int (*)(int signal, siginfo_t* info, void* ucontext,
                             int abort_if_unrecognized);

// Sets the function of the running HotSpot; nullptr if this JVM has no such function.
void SetJvmFaultHook(JvmFaultHook hook);

}  // namespace jprof
