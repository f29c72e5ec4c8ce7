// StepOutcome: the result of a step from a native frame to its caller.
#pragma once

#include <cstdint>

namespace jprof {

enum class StepOutcome : uint8_t {
  kFrame,            // the cursor is at the caller
  kOutermost,        // no caller: the thread's first frame
  kNoInformation,    // the code at pc is generated, or has no unwind information
  kUnsupportedRule,  // the unwind information has a form that the compiler does not support
  kUnknownRegister,  // the rule needs a register that is not known in this frame
  kUnreadable,       // the stack is unreadable at the address of the rule
  kOutsideStack,     // the caller's frame would lie outside the stack
  kNoProgress,       // the caller's frame would not lie above this one
  kTooManySignals,   // more nested signal handlers than a walk follows
};

}  // namespace jprof
