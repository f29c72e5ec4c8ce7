// StepByFramePointer: a step to the caller, by the chain of frame pointers only.
// StepOutcome: the result of a step from a native frame to its caller.
//
// The step is correct for code that maintains the chain (-fno-omit-frame-pointer). Other code is
// skipped, with its callers up to the next frame in the chain. An interrupted function that has not
// yet set up its frame hides its caller.
//
// Async-signal-safe. A walk by such steps ends, because each step increases sp.
#pragma once

#include <cstdint>

#include "sigsafe/native/native_registers.h"
#include "sigsafe/native/stack_memory.h"

namespace jprof {

// The result of a step, by the frame pointer or by rules (native_cursor.h).
enum class StepOutcome : uint8_t {
  kFrame,            // the registers are the caller's
  kOutermost,        // no caller: the thread's first frame
  kNoInformation,    // the code at pc is generated, or has no unwind information
  kUnsupportedRule,  // the unwind information has a form that the compiler does not support
  kUnknownRegister,  // the rule needs a register that is unknown in this frame
  kUnreadable,       // the stack is unreadable at the address of the rule
  kOutsideStack,     // the caller's frame would lie outside the stack
  kNoProgress,       // the caller's frame would not lie above this one
  kTooManySignals,   // more nested signal handlers than a walk follows
};

// Moves `registers` to the caller; they are unchanged on failure. The end of the chain (0) is
// kOutermost.
StepOutcome StepByFramePointer(StackMemory& memory, NativeRegisters* registers);

}  // namespace jprof
