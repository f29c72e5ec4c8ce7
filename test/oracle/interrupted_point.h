// InterruptedPoint: the registers where a signal interrupted a thread, the frames that NativeCursor
// found in the handler, and a copy of the stack for libunwind to walk later.
#pragma once

#include <ucontext.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "sigsafe/base/types.h"
#include "sigsafe/native/native_cursor.h"

namespace jprof::test {

struct NativeFrameSeen {
  uint64_t pc;
  uint64_t sp;
};

struct InterruptedPoint {
  static constexpr size_t kMaxFrames = 2000;
  static constexpr size_t kMaxStack = 2 << 20;
  static constexpr uint64_t kRedZone = 128;

  greg_t registers[NGREG];
  NativeFrameSeen frames[kMaxFrames];  // interrupted frame first
  size_t frame_count;
  size_t frames_by_rule;  // frames before the first guess, which is a step without a rule
  StepOutcome end;        // reason for the last frame; kFrame: no room for more
  uint64_t stack_begin;
  size_t stack_size;
  char stack[kMaxStack];
};

// Interrupts `thread` of this process and fills the only point. Returns null if the thread has
// ended. One caller at a time. `bounds` are those of the thread's stack, {0, 0} if unknown.
const InterruptedPoint* Interrupt(Tid thread, const StackBounds& bounds);

}  // namespace jprof::test
