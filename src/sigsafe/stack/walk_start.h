// WalkStart: where a walk of a Java thread begins, and on which stack.
//
//   a handler             StartAtSignal: the registers of the interrupted code
//   a synchronous caller  StartAtAnchor: the topmost Java frame, as the VM has noted it when the
//                         thread left Java code: JVMTI callbacks, hooks, probes
//   anybody               StartAtRegisters: pc, sp and fp from elsewhere
//
// Async-signal-safe. The walked thread need not be the calling one; it must not go on meanwhile.
// Reads the JavaThread by guarded loads: REQUIRES that their faults are caught, and a layout whose
// frames can be walked.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "sigsafe/base/stack_bounds.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/stack/walk_context.h"

namespace jprof {

struct WalkStart {
  uint64_t java_thread;
  StackBounds stack;
  StackPosition position;
  const ucontext_t* interrupted;  // all registers at `position`; nullptr: those there are known
};

// Each false: what the JavaThread says is unreadable or is no stack; *start is left as it was.

[[nodiscard]] bool StartAtSignal(const HotspotLayout& vm, uint64_t java_thread,
                                 const ucontext_t* interrupted, WalkStart* start);

// False also if the thread has no Java frame, or runs Java code and so has no anchor.
[[nodiscard]] bool StartAtAnchor(const HotspotLayout& vm, uint64_t java_thread, WalkStart* start);

[[nodiscard]] bool StartAtRegisters(const HotspotLayout& vm, uint64_t java_thread,
                                    const StackPosition& position, WalkStart* start);

}  // namespace jprof
