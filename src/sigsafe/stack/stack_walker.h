// WalkStack and its variants: walk the stack of a thread into frames without names.
//
// Async-signal-safe. Called while a WalkScope lives, before a guard of call traces is entered. A
// buffer holds one stack: that of the latest walk.
#pragma once

#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/stack/vm_walker.h"
#include "sigsafe/stack/walk_environment.h"

namespace jprof {

// The thread to be walked, which is the running thread.
struct WalkedThread {
  void* jni_env;      // nullptr if the thread is not attached to the JVM
  StackBounds stack;  // {} if the bounds are unknown
  WalkUntil until;
};

struct Stack {
  const Frame* frames;  // callee first; in the buffer
  uint32_t count;
  bool truncated;  // true if frames at the root or in the middle are missing
  // True if the stack certainly reaches the entry of the kernel thread, so that it does not end
  // where a virtual thread is mounted.
  bool reaches_entry = false;
  bool lacks_root = false;  // true if the RootBudget has ended the walk
  // True if the stack has frames in code that has no unwind table, and for which no rule was found: a
  // later walk might find more frames.
  bool lacks_tables = false;
  // The address of the Method of each Java frame whose id LoadJavaMethod has made, with the index
  // of the frame; nullptr if the walk has made no such ids.
  const uint64_t* methods = nullptr;
  const HotspotLayout* vm = nullptr;  // the layout of `methods`; nullptr if there are none

  // Makes the stack start that number of frames further towards the root, or towards the leaf if
  // the number is negative. REQUIRES: the buffer has these frames.
  void MoveBegin(int32_t frames_towards_root) {
    frames += frames_towards_root;
    count = static_cast<uint32_t>(static_cast<int32_t>(count) - frames_towards_root);
    if (methods != nullptr) methods += frames_towards_root;
  }
};

// Returns the stack of the interrupted thread. A thread with a JNIEnv is walked by VmCursor if
// environment.walks_vm_frames(), else by AsyncGetCallTrace. If no walk is possible, the stack
// consists of the interrupted code and an outcome. For a thread without a JNIEnv, the stack is its
// native stack. REQUIRES: OpenFaultSignals(ucontext) has returned true.
Stack WalkStack(const WalkEnvironment& environment, const WalkedThread& thread, void* ucontext,
                const WalkBuffer& buffer);

// Returns the stack of the calling thread, in a JVMTI callback, a hook or a probe that Java code
// has called. VmCursor walks the stack from the thread's frame anchor; if this is not possible, the
// stack consists of an outcome only. REQUIRES: the calling thread blocks neither SIGSEGV nor
// SIGBUS.
Stack WalkFromAnchor(const WalkEnvironment& environment, const WalkedThread& thread,
                     const WalkBuffer& buffer);

// Returns the stack of the calling thread, in a hook that native code has called. `call` has the
// return address of that call and the caller's registers after the return. REQUIRES: the calling
// thread blocks neither SIGSEGV nor SIGBUS.
Stack WalkFromCall(const WalkEnvironment& environment, const WalkedThread& thread,
                   const StackPosition& call, const WalkBuffer& buffer);

// Returns the stack from `start`, by VmCursor. This can be the stack of another thread than the
// calling one (walk_start.h). REQUIRES: environment.walks_vm_frames(); the calling thread blocks
// neither SIGSEGV nor SIGBUS.
Stack WalkStackFrom(const WalkEnvironment& environment, const WalkStart& start, WalkUntil until,
                    const WalkBuffer& buffer);

// Returns a stack of two frames: the interrupted code, and the outcome in place of its callers.
Stack UnwalkedStack(WalkOutcome why, const void* ucontext, const WalkBuffer& buffer);

}  // namespace jprof
