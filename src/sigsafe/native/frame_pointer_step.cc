#include "sigsafe/native/frame_pointer_step.h"

namespace jprof {

// A frame record is the caller's frame pointer, then the return address, on both processors.
StepOutcome StepByFramePointer(StackMemory& memory, NativeRegisters* registers) {
  constexpr uint64_t kRecord = 2 * sizeof(uint64_t);
  const uint64_t fp = registers->fp;
  if (fp == 0) return StepOutcome::kOutermost;
  if (fp % kStackAlignment != 0 || fp < registers->sp) return StepOutcome::kNoProgress;
  if (!memory.MayHoldFrame(fp + kRecord)) return StepOutcome::kOutsideStack;
  NativeRegisters caller;
  if (!memory.Load(fp, &caller.fp) || !memory.Load(fp + sizeof(uint64_t), &caller.pc)) {
    return StepOutcome::kUnreadable;
  }
  if (caller.pc == 0) return StepOutcome::kOutermost;
  caller.pc = PlainReturnAddress(caller.pc);
  caller.sp = fp + kRecord;
  *registers = caller;
  return StepOutcome::kFrame;
}

}  // namespace jprof
