// StepOutcome: what became of a step from a native frame to its caller.
#pragma once

#include <cstdint>

namespace jprof {

enum class StepOutcome : uint8_t {
  kFrame,            // the cursor is at the caller
  kOutermost,        // there is no caller: the thread's first frame
  kNoInformation,    // nothing is known of the code at pc: generated, or without unwind information
  kUnsupportedRule,  // its unwind information has a form that is not compiled
  kUnknownRegister,  // the rule needs a register whose value is not known in this frame
  kUnreadable,       // the stack could not be read where the rule says
  kOutsideStack,     // the caller's frame would lie outside the stack
  kNoProgress,       // the caller's frame would not lie above this one
  kTooManySignals,   // more signal handlers on top of each other than a walk follows
};

}  // namespace jprof
