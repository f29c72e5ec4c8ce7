// VmWalker: the stack of the running thread, read from the memory of HotSpot: from the interrupted
// instruction to the entry of the thread, or of the virtual thread that it runs, each frame with
// the way its code is run.
//
// Async-signal-safe; called on the thread that is walked, before any guard is taken. It ends after
// a bounded number of steps whatever the memory says: all but a few go up the stack.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "sigsafe/stack/frame_sink.h"
#include "sigsafe/stack/stack_mode.h"

namespace jprof {

struct HotspotLayout;

// Where a stack has its root.
enum class WalkUntil : uint8_t {
  kThreadEntry,
  kMount,  // where a virtual thread begins, if the stack has such a place
};

enum class WalkEnd : uint8_t {
  kRoot,    // the entry of the thread
  kMount,   // the entry of the virtual thread that it runs
  kFull,    // the sink has no more room
  kBroken,  // the last frame is an outcome that says why
};

// `jni_env` of the running thread, which is attached to the JVM. REQUIRES: mode != kAgct.
WalkEnd WalkVmStack(const HotspotLayout& vm, StackMode mode, WalkUntil until, const void* jni_env,
                    const ucontext_t* context, FrameSink* sink);

}  // namespace jprof
