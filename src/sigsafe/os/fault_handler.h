// The handlers of SIGSEGV and SIGBUS while stacks are walked. A fault of a guarded load ends there;
// every other one reaches the handler that was there before, the JVM's, with the same arguments and
// in the same signal mask: implicit null checks, safepoint polls and crash reports work as without
// us.
//
// A library that comes in front of a handler of ours may call it for as long as the process lives.
// So each is a place: a function of its own, and the action behind it, which never changes. With
// another handler in front, the next place goes in front of that one: calls lead from later places
// to earlier ones, and the earliest has the JVM's behind it.
//
// A library may come in front a second time, and call the place that has its own handler behind it.
// A fault that a place has forwarded is therefore noted in the fault's siginfo; when it comes back,
// it goes to the action behind an earlier place, and from the earliest to the JVM itself.
//
// TakeFaultPlace, SetJvmFaultHook: one thread at a time, outside handlers. The rest:
// Async-signal-safe. Costs another handler's fault a few comparisons.
#pragma once

#include <csignal>
#include <cstddef>

namespace jprof {

inline constexpr size_t kFaultPlaces = 16;

using FaultHandler = void (*)(int, siginfo_t*, void*);

// The function of a place. REQUIRES: installed only where the place has been taken.
FaultHandler FaultHandlerAt(size_t place);

// `signal` is SIGSEGV or SIGBUS. nullptr: the place has not been taken.
const struct sigaction* ActionBehind(int signal, size_t place);

// REQUIRES: the place has not been taken; `behind` is a handler and stays one when it has been
// called (no SA_RESETHAND).
void TakeFaultPlace(int signal, size_t place, const struct sigaction& behind);

// What HotSpot exports for handlers that others have put in front of its own: the answer is not 0
// if the fault was its own, or `abort_if_unrecognized` (jdk-17+35
// src/hotspot/os/posix/signals_posix.cpp, JVM_HANDLE_XXX_SIGNAL).
using JvmFaultHook = int (*)(int signal, siginfo_t* info, void* ucontext,
                             int abort_if_unrecognized);

// nullptr: there is none.
void SetJvmFaultHook(JvmFaultHook hook);

}  // namespace jprof
