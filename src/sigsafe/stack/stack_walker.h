// Walks the stack of a thread, into frames without names.
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

// The running thread.
struct WalkedThread {
  void* jni_env;      // nullptr: not attached to the JVM
  StackBounds stack;  // {}: not known
  WalkUntil until;
};

struct Stack {
  const Frame* frames;  // callee first, inside the buffer
  uint32_t count;
  bool truncated;  // frames at the root are missing
  // Whether the stack is known to reach the entry of the kernel thread.
  bool reaches_entry = false;
  bool lacks_root = false;  // truncated by the RootBudget of the walk
  // Whether it goes through code of a library whose unwind table has not been made: a later walk
  // may see more.
  bool lacks_tables = false;
};

// The stack of the interrupted thread. With a JNIEnv: by VmCursor or AsyncGetCallTrace, as the
// environment's mode says; AsyncGetCallTrace also where faults are not caught. Without either: the
// interrupted code and an outcome. Without a JNIEnv: the native stack. REQUIRES:
// OpenFaultSignals(ucontext).
Stack WalkStack(const WalkEnvironment& environment, const WalkedThread& thread, void* ucontext,
                const WalkBuffer& buffer);

// The stack of the calling thread, called from Java code: in a JVMTI callback, a hook or a probe.
// By VmCursor from the thread's frame anchor; else an outcome. REQUIRES: the calling thread does
// not block SIGSEGV and SIGBUS.
Stack WalkFromAnchor(const WalkEnvironment& environment, const WalkedThread& thread,
                     const WalkBuffer& buffer);

// The stack of the calling thread, called from native code: in a hook. `call`: the return address,
// and the registers of the caller after the return. REQUIRES: as WalkFromAnchor.
Stack WalkFromCall(const WalkEnvironment& environment, const WalkedThread& thread,
                   const StackPosition& call, const WalkBuffer& buffer);

// By VmCursor from any start, also of another thread (walk_start.h). REQUIRES:
// environment.walks_vm_frames(); the calling thread does not block SIGSEGV and SIGBUS.
Stack WalkStackFrom(const WalkEnvironment& environment, const WalkStart& start, WalkUntil until,
                    const WalkBuffer& buffer);

// The interrupted code, and an outcome in place of its callers.
Stack UnwalkedStack(WalkOutcome why, const void* ucontext, const WalkBuffer& buffer);

}  // namespace jprof
