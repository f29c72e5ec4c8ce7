// NativeCursor: walks native frames by their unwind rules, one frame a step.
//
//   StackMemory memory(registers.sp, bounds);
//   NativeCursor cursor(&NativeCode::OfProcess(), &memory, NativeRegistersOf(ucontext), ucontext);
//   for (uint32_t i = 0; i < depth; ++i) {     // the caller's bound
//     // cursor.registers().pc is a frame
//     StepOutcome outcome = cursor.Step();
//     if (outcome == StepOutcome::kNoInformation) outcome = cursor.StepWithoutRule();
//     if (outcome != StepOutcome::kFrame) break;
//   }
//
// The caller decides frame by frame who steps: where pc is in Java code it walks with its own steps
// and goes on with a new cursor from (pc, sp, fp) of the first native frame beyond.
//
// Async-signal-safe. An object of one walk; about 100 bytes. Guarantees
//  1. Reads the stack through StackMemory only, and never the code.
//  2. Ends: sp grows with each frame, save for an interrupted one that has its return address in a
//     register, and for at most kMaxSignalFrames signal frames, which may lead to another stack.
//  3. A failed step leaves registers() as they were.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "sigsafe/native/native_code.h"
#include "sigsafe/native/native_registers.h"
#include "sigsafe/native/stack_memory.h"
#include "sigsafe/native/step_outcome.h"
#include "sigsafe/native/unwind_rule.h"

namespace jprof {

class NativeCursor {
 public:
  static constexpr uint32_t kMaxSignalFrames = 8;

  // From interrupted code. `interrupted`: whose registers these are; null: only those in `start`.
  NativeCursor(const NativeCode* code, StackMemory* memory, const NativeRegisters& start,
               const ucontext_t* interrupted);

  // From a frame that has called: start.pc is a return address.
  static NativeCursor AtCall(const NativeCode* code, StackMemory* memory,
                             const NativeRegisters& start);

  const NativeRegisters& registers() const { return registers_; }

  // Whether registers().pc is an instruction that was interrupted, rather than a return address:
  // the first frame, and the one below a signal frame. Names of functions are looked up with pc - 1
  // otherwise: a call may be the last instruction of its function.
  bool is_interrupted() const { return is_interrupted_; }

  // To the caller, by the unwind rule of the code at pc.
  StepOutcome Step();

  // For code of which Step says kNoInformation: as a leaf if it was interrupted and that leads to
  // known code (assembler functions without a frame, such as HotSpot's SpinPause), else by the
  // frame pointer. A guess, which Step is not; so it never says kOutermost.
  StepOutcome StepWithoutRule();

  // To the caller, by the frame pointer (frame_pointer_step.h).
  StepOutcome StepByFramePointer();

 private:
  bool StepAsLeaf();
  bool ValueOf(uint8_t dwarf_register, uint64_t* value) const;
  StepOutcome FindCfa(const UnwindRule& rule, uint64_t* cfa);
  StepOutcome Restore(const Place& place, uint64_t cfa, uint8_t own_register, uint64_t* value);
  StepOutcome Apply(const UnwindRule& rule);
  bool MayMoveTo(uint64_t sp, const UnwindRule& rule) const;

  const NativeCode* code_;
  StackMemory* memory_;
  NativeRegisters registers_;
  const ucontext_t* context_;  // all registers of this frame, or null
  uint32_t signal_frames_ = 0;
  bool is_interrupted_ = true;
  bool saved_is_known_ = true;
  bool fp_is_known_ = true;
};

}  // namespace jprof
