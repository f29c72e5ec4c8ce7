// StepByFramePointer: to the caller by the chain of frame pointers alone.
//
// Right for code that keeps the chain (-fno-omit-frame-pointer); other code is skipped with its
// callers up to the next frame that keeps it, and an interrupted function that has not yet set up
// its frame hides its caller.
//
// Async-signal-safe. A walk by such steps ends: sp grows with each.
#pragma once

#include "sigsafe/native/native_registers.h"
#include "sigsafe/native/stack_memory.h"
#include "sigsafe/native/step_outcome.h"

namespace jprof {

// Moves `registers` to the caller; leaves them as they were on failure. A chain that ends (0) is
// kOutermost.
StepOutcome StepByFramePointer(StackMemory& memory, NativeRegisters* registers);

}  // namespace jprof
