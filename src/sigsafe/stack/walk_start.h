// WalkStart: the first frame of a walk of a Java thread, and the bounds of the thread's stack.
//
//   StartAtSignal     in a handler: at the registers of the interrupted code
//   StartAtAnchor     in JVMTI callbacks, hooks and probes: at the innermost Java frame, which the
//                     VM has recorded when the thread left Java code
//   StartAtRegisters  at any given pc, sp and fp
//
// Async-signal-safe. The walked thread need not be the calling thread, but it must not run during
// the walk. The functions read the JavaThread by guarded loads. REQUIRES: the faults of these loads
// are caught; `vm` has the fields for walking frames.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/stack/walk_context.h"

namespace jprof {

struct WalkStart {
  uint64_t java_thread;
  StackBounds stack;
  StackPosition position;
  const ucontext_t* interrupted;  // all registers at `position`; nullptr if they are unknown
};

// The three functions return false, and leave *start unchanged, if the JavaThread is unreadable or
// has no valid stack.

[[nodiscard]] bool StartAtSignal(const HotspotLayout& vm, uint64_t java_thread,
                                 const ucontext_t* interrupted, WalkStart* start);

// Also returns false if the thread has no Java frame, or if it runs Java code and so has no anchor.
[[nodiscard]] bool StartAtAnchor(const HotspotLayout& vm, uint64_t java_thread, WalkStart* start);

[[nodiscard]] bool StartAtRegisters(const HotspotLayout& vm, uint64_t java_thread,
                                    const StackPosition& position, WalkStart* start);

}  // namespace jprof
