// NativeCursor: walks native frames by their unwind rules, one frame a step.
// StepByFramePointer: one step by the frame pointer, without rules.
//
//   StackMemory memory(registers.sp, bounds);
//   NativeCursor cursor(&NativeCode::OfProcess(), &memory, NativeRegistersOf(ucontext), ucontext);
//   for (uint32_t i = 0; i < depth; ++i) {
//     // cursor.registers().pc is a frame
//     StepOutcome outcome = cursor.Step();
//     if (outcome == StepOutcome::kNoInformation) outcome = cursor.StepWithoutRule();
//     if (outcome != StepOutcome::kFrame) break;
//   }
//
// The code that uses the cursor decides at each frame how to step. In Java code it uses steps of
// its own, and continues with a new cursor from (pc, sp, fp) of the next native frame.
//
// Async-signal-safe. One object for each walk; about 100 bytes. Guarantees
//  1. The cursor reads the stack only through StackMemory. It reads code only to recognise a signal
//     trampoline, and only if faults are caught.
//  2. Every walk ends, because each step increases sp, with two exceptions: the step from an
//     interrupted frame whose return address is in a register, and at most kMaxSignalFrames steps
//     from signal frames, which can lead to another stack.
//  3. A failed step leaves registers() unchanged.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "sigsafe/native/native_code.h"
#include "sigsafe/native/native_registers.h"
#include "sigsafe/native/stack_memory.h"
#include "sigsafe/native/unwind_table.h"

namespace jprof {

// The result of a step from a native frame to its caller.
enum class StepOutcome : uint8_t {
  kFrame,            // the registers are the caller's
  kOutermost,        // no caller: the thread's first frame
  kNoInformation,    // the code at pc is generated, or has no unwind information
  kUnsupportedRule,  // the unwind information has a form that the module unwind cannot compile
  kUnknownRegister,  // the rule needs a register that is unknown in this frame
  kUnreadable,       // the stack is unreadable at an address that the rule needs
  kOutsideStack,     // the caller's frame would lie outside the stack
  kNoProgress,       // the caller's frame would not lie above the current frame
  kTooManySignals,   // more nested signal handlers than a walk follows
};

// Moves `registers` to the caller by the chain of frame pointers, without unwind rules. Leaves them
// unchanged on failure. Returns kOutermost at the end of the chain, where the frame pointer is 0.
//
// The step is correct for code that maintains the chain (-fno-omit-frame-pointer). The step leaves
// out frames of other code, and their callers up to the next frame in the chain. An interrupted
// function that has not yet set up its frame hides its caller. A walk by such steps ends, because
// each step increases sp. On AArch64, sp can then be below the caller's stack pointer.
StepOutcome StepByFramePointer(StackMemory& memory, NativeRegisters* registers);

class NativeCursor {
 public:
  static constexpr uint32_t kMaxSignalFrames = 8;

  // Starts at interrupted code. `interrupted` has all registers at `start`; nullptr if only those
  // in `start` are known.
  NativeCursor(const NativeCode* code, StackMemory* memory, const NativeRegisters& start,
               const ucontext_t* interrupted);

  // Starts at a calling frame: start.pc is a return address.
  static NativeCursor AtCall(const NativeCode* code, StackMemory* memory,
                             const NativeRegisters& start);

  const NativeRegisters& registers() const { return registers_; }

  // True if registers().pc is an interrupted instruction: in the first frame of a walk that starts
  // at interrupted code, and in the caller of a signal frame. Otherwise the pc is a return address,
  // and functions are looked up by pc - 1, because a call can be the last instruction of its
  // function.
  bool is_interrupted() const { return is_interrupted_; }

  // Moves to the caller, by the unwind rule of the code at pc.
  StepOutcome Step();

  // Moves to the caller from code without a rule (Step returned kNoInformation). Interrupted code
  // might be a leaf function: an assembler function without a frame, such as HotSpot's SpinPause.
  // So the step reads the word at the place where a leaf function has its return address. If this
  // word is an address in code with a rule, the interrupted code counts as a leaf function. In all
  // other cases the step is by the frame pointer. Never returns kOutermost, because the step is a
  // guess.
  StepOutcome StepWithoutRule();

  // Moves to the caller by the frame pointer (jprof::StepByFramePointer).
  StepOutcome StepByFramePointer();

  // Moves to the caller from interrupted code without a rule, on a processor with a link register:
  // such code is a leaf function or an entry of a procedure linkage table. Returns false if the
  // register has no address in code with a rule or from `low` up to `high`.
  bool StepByLink(uint64_t low, uint64_t high);

 private:
  bool StepAsLeaf();
  bool HasRule(uint64_t return_address) const;
  void MoveTo(uint64_t caller_pc);
  bool ValueOf(uint8_t dwarf_register, uint64_t* value) const;
  StepOutcome FindCfa(const UnwindRule& rule, uint64_t* cfa);
  StepOutcome Restore(const Place& place, uint64_t cfa, uint8_t own_register, uint64_t* value);
  StepOutcome Apply(const UnwindRule& rule);
  bool MayMoveTo(uint64_t sp, const UnwindRule& rule) const;

  const NativeCode* code_;
  StackMemory* memory_;
  NativeRegisters registers_;
  const ucontext_t* context_;  // all registers of this frame; nullptr if only registers_ are known
  uint32_t signal_frames_ = 0;
  bool is_interrupted_ = true;
  bool saved_is_known_ = true;
  bool sp_is_known_ = true;
  bool fp_is_known_ = true;
};

}  // namespace jprof
