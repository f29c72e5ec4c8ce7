// WalkContext: the data that all steps of a walk use.
// StackPosition: the frame from which a step starts.
// StackMode: which frames a walk records.
//
// These are plain values of one walk.
#pragma once

#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/hotspot/compiled_scopes.h"
#include "sigsafe/native/native_code.h"

namespace jprof {

// The frames that a walk records, and the way in which it walks native frames.
enum class StackMode : uint8_t {
  kVm,    // the native frames that the innermost Java frame has called, and all Java frames
  kVmx,   // all frames: also the native frames between Java frames and those of the thread's start
  kFp,    // as kVmx, but native frames by the chain of frame pointers
  kAgct,  // Java frames by AsyncGetCallTrace; the interrupted code if there are none
  kNo,    // Java frames only
};

struct StackPosition {
  uint64_t pc;
  uint64_t sp;
  uint64_t fp;
  PcMeaning meaning;
};

struct WalkContext {
  const HotspotLayout& vm;
  const NativeCode& native_code;
  StackMode mode;
  uint64_t java_thread;  // the walked thread
  StackBounds stack;     // bounds of the walked thread's stack

  // True if a walk may go from `from` to `to`, because `to` is above `from` and on the stack.
  bool IsAbove(uint64_t from, uint64_t to) const { return to > from && to < stack.high; }
  bool IsAtOrAbove(uint64_t from, uint64_t to) const { return IsAbove(from - 1, to); }
};

}  // namespace jprof
