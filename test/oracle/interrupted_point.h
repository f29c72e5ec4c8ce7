// InterruptedPoint: where a signal struck a thread, what NativeCursor made of it there and then,
// and a copy of the stack, for libunwind to walk later.
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
  NativeFrameSeen frames[kMaxFrames];  // the interrupted one first
  size_t frame_count;
  size_t frames_by_rule;  // those before the first step without a rule, which is a guess
  StepOutcome end;        // why there is no further frame; kFrame: there is no room for more
  uint64_t stack_begin;
  size_t stack_size;
  char stack[kMaxStack];
};

// Interrupts `thread` of this process and fills the one point that there is. Null if the thread is
// gone. One caller at a time; `bounds`: of the thread's stack, {0, 0} if unknown.
const InterruptedPoint* Interrupt(Tid thread, const StackBounds& bounds);

}  // namespace jprof::test
