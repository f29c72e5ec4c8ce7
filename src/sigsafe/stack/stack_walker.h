// WalkStack and its variants: walk the stack of a thread into frames without names.
//
// Async-signal-safe. Called while a WalkScope lives, before any guard is taken. A buffer holds one
// stack.
#pragma once

#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/stack/vm_walker.h"
#include "sigsafe/stack/walk_environment.h"

namespace jprof {

// The thread to be walked, which is the running thread.
struct WalkedThread {
  void* jni_env;      // nullptr: the thread is not attached to the JVM
  StackBounds stack;  // {}: the bounds are unknown
  WalkUntil until;
};

struct Stack {
  const Frame* frames;  // callee first; in the buffer
  uint32_t count;
  bool truncated;  // true: frames at the root are missing
  // True if the stack is known to reach the entry of the kernel thread.
  bool reaches_entry = false;
  bool lacks_root = false;  // true: truncated by the RootBudget of the walk
  // True if the stack goes through code of a library whose unwind table has not been made: a later
  // walk might find more frames.
  bool lacks_tables = false;
};

// Returns the stack of the interrupted thread. With a JNIEnv the walk is by VmCursor or
// AsyncGetCallTrace, by the environment's mode; AsyncGetCallTrace also if faults are not caught. If
// neither is possible, the stack is the interrupted code and an outcome. Without a JNIEnv it is the
// native stack. REQUIRES: OpenFaultSignals(ucontext).
Stack WalkStack(const WalkEnvironment& environment, const WalkedThread& thread, void* ucontext,
                const WalkBuffer& buffer);

// Returns the stack of the calling thread, called from Java code: in a JVMTI callback, a hook or a
// probe. The walk is by VmCursor from the thread's frame anchor; if that is not possible, the stack
// is an outcome. REQUIRES: the calling thread does not block SIGSEGV and SIGBUS.
Stack WalkFromAnchor(const WalkEnvironment& environment, const WalkedThread& thread,
                     const WalkBuffer& buffer);

// Returns the stack of the calling thread, called from native code: in a hook. `call` is the return
// address, and the registers of the caller after the return. REQUIRES: the calling thread does not
// block SIGSEGV and SIGBUS.
Stack WalkFromCall(const WalkEnvironment& environment, const WalkedThread& thread,
                   const StackPosition& call, const WalkBuffer& buffer);

// Returns the stack from any start, even one of another thread (walk_start.h), by VmCursor.
// REQUIRES: environment.walks_vm_frames(); the calling thread does not block SIGSEGV and SIGBUS.
Stack WalkStackFrom(const WalkEnvironment& environment, const WalkStart& start, WalkUntil until,
                    const WalkBuffer& buffer);

// Returns the interrupted code, and an outcome in place of its callers.
Stack UnwalkedStack(WalkOutcome why, const void* ucontext, const WalkBuffer& buffer);

}  // namespace jprof
