// WalkByAsgct: the Java stack of the running thread by HotSpot's AsyncGetCallTrace.
//
// libjvm exports the function, but no header declares it: its types are declared here (OpenJDK
// jdk-17+35 src/hotspot/share/prims/forte.cpp).
//
// Async-signal-safe if HotSpot's function is. Called on the thread of `context`, in a handler.
#pragma once

#include <cstdint>

#include "sigsafe/stack/frame.h"

namespace jprof {

// ASGCT_CallFrame. The frames of a stack are callee first.
struct AsgctFrame {
  int32_t bci;  // bytecode index; -1 if unknown, -3 in a native method
  void* method_id;
};

inline constexpr int32_t kAsgctNativeMethod = -3;

struct AsgctResult {
  uint32_t frames;      // number of frames
  WalkOutcome outcome;  // why there are no frames; meaningless if frames != 0
};

using AsgctFunction = void (*)(void* trace, int32_t depth, void* context);

// Writes at most `depth` frames. `function` is nullptr if libjvm has no such function. `jni_env` is
// the JNIEnv* of the calling thread.
AsgctResult WalkByAsgct(AsgctFunction function, void* jni_env, void* context, AsgctFrame* frames,
                        uint32_t depth);

}  // namespace jprof
