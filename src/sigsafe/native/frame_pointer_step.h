// StepByFramePointer: to the caller, by the chain of frame pointers only.
//
// Correct for code that maintains the chain (-fno-omit-frame-pointer). Other code is skipped, with
// its callers up to the next frame in the chain. An interrupted function that has not yet set up
// its frame hides its caller.
//
// Async-signal-safe. A walk by such steps ends, because each step increases sp.
#pragma once

#include "sigsafe/native/native_registers.h"
#include "sigsafe/native/stack_memory.h"
#include "sigsafe/native/step_outcome.h"

namespace jprof {

// Moves `registers` to the caller; unchanged on failure. The end of the chain (0) is kOutermost.
StepOutcome StepByFramePointer(StackMemory& memory, NativeRegisters* registers);

}  // namespace jprof
