// The stack of the interrupted thread, as frames without names.
//
// Async-signal-safe. Called by the sample taker on the thread it samples, before any guard is
// taken.
#pragma once

#include <cstdint>

#include "sigsafe/base/stack_bounds.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/stack/vm_walker.h"
#include "sigsafe/stack/walk_buffers.h"
#include "sigsafe/stack/walk_outcome.h"

namespace jprof {

// The running thread.
struct WalkedThread {
  void* jni_env;      // nullptr: it is not attached to the JVM
  StackBounds stack;  // {}: not known
  WalkUntil until;
};

struct Stack {
  const Frame* frames;  // callee first, inside the buffer
  uint32_t count;
  bool truncated;  // frames at the root are missing
  // Whether it is known to be the kernel thread's own, down to its entry.
  bool reaches_entry = false;
};

// A thread with a JNIEnv: its stack as GetStackMode() says, by our own walker while the VM's layout
// is in use, else by AsyncGetCallTrace; where there is none, the interrupted code and the reason. A
// thread without: its native stack.
// REQUIRES: OpenFaultSignals(ucontext).
Stack WalkStack(const WalkedThread& thread, void* ucontext, const WalkBuffer& buffer);

// The interrupted code, and the reason for which there is no more.
Stack UnwalkedStack(WalkOutcome why, const void* ucontext, const WalkBuffer& buffer);

}  // namespace jprof
