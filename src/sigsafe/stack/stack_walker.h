// The stack of a thread, as frames without names.
//
// Async-signal-safe. Called while a WalkScope lives, before any guard is taken. A buffer takes one
// stack.
#pragma once

#include <cstdint>

#include "sigsafe/base/stack_bounds.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/stack/vm_walker.h"
#include "sigsafe/stack/walk_environment.h"
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

// Of the interrupted thread. With a JNIEnv: as the environment's mode says, by our own walker while
// faults are caught, else by AsyncGetCallTrace; where there is none, the interrupted code and the
// reason. Without: its native stack.
// REQUIRES: OpenFaultSignals(ucontext).
Stack WalkStack(const WalkEnvironment& environment, const WalkedThread& thread, void* ucontext,
                const WalkBuffer& buffer);

// Of a thread that has called us from Java: a callback of JVMTI, a hook, a probe. From its frame
// anchor, by our own walker; where that cannot be, an outcome says so.
// REQUIRES: the calling thread does not block SIGSEGV and SIGBUS.
Stack WalkFromAnchor(const WalkEnvironment& environment, const WalkedThread& thread,
                     const WalkBuffer& buffer);

// By our own walker, from any start; also of another thread (walk_start.h).
// REQUIRES: environment.walks_vm_frames(); the calling thread does not block SIGSEGV and SIGBUS.
Stack WalkStackFrom(const WalkEnvironment& environment, const WalkStart& start, WalkUntil until,
                    const WalkBuffer& buffer);

// The interrupted code, and the reason for which there is no more.
Stack UnwalkedStack(WalkOutcome why, const void* ucontext, const WalkBuffer& buffer);

}  // namespace jprof
