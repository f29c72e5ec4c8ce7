// InterruptedPoint: the registers of a thread where a signal interrupted it, the frames that
// NativeCursor found in the handler, and a copy of the stack, which libunwind walks later.
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
  NativeFrameSeen frames[kMaxFrames];  // the interrupted frame first
  size_t frame_count;
  size_t frames_by_rule;  // frames before the first step that had no rule and was guessed
  StepOutcome end;        // why the walk ended; kFrame if `frames` is full
  uint64_t stack_begin;
  size_t stack_size;
  char stack[kMaxStack];
};

// Interrupts `thread` of this process and fills the only InterruptedPoint. Returns nullptr if the
// thread has ended. `bounds` are those of the thread's stack, or {0, 0} if unknown. REQUIRES: one
// caller at a time.
const InterruptedPoint* Interrupt(Tid thread, const StackBounds& bounds);

}  // namespace jprof::test
