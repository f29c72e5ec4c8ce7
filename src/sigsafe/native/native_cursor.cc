#include "sigsafe/native/native_cursor.h"

#include "sigsafe/native/signal_frame.h"

namespace jprof {
namespace {

constexpr uint64_t kPltEntrySize = 16;
constexpr uint64_t kWord = sizeof(uint64_t);

uint64_t Plus(uint64_t address, int32_t offset) {
  return address + static_cast<uint64_t>(int64_t{offset});
}

}  // namespace

// On both processors, a frame record consists of the caller's frame pointer and, above it, the
// return address. On x86-64 the record is at the upper end of the frame. On AArch64 it can be
// anywhere in the frame, so the new sp is only a lower bound of the caller's.
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

NativeCursor::NativeCursor(const NativeCode* code, StackMemory* memory,
                           const NativeRegisters& start, const ucontext_t* interrupted)
    : code_(code), memory_(memory), registers_(start), context_(interrupted) {}

NativeCursor NativeCursor::AtCall(const NativeCode* code, StackMemory* memory,
                                  const NativeRegisters& start) {
  NativeCursor cursor(code, memory, start, nullptr);
  cursor.is_interrupted_ = false;
  return cursor;
}

StepOutcome NativeCursor::Step() {
  UnwindRule rule;
  if (!code_->FindRule(registers_.pc - (is_interrupted_ ? 0 : 1), memory_->faults(), &rule)) {
    const bool may_read_code = memory_->faults() == LoadFaults::kCaught && !is_interrupted_;
    if (!may_read_code || !IsSignalTrampoline(registers_.pc)) return StepOutcome::kNoInformation;
    rule.is_signal_frame = true;
    return Apply(SignalFrameRule(rule));
  }
  switch (rule.cfa) {
    case CfaKind::kNoInformation:
      return StepOutcome::kNoInformation;
    case CfaKind::kUnsupported:
      return StepOutcome::kUnsupportedRule;
    case CfaKind::kOutermost:
      return StepOutcome::kOutermost;
    default:
      return Apply(rule);
  }
}

StepOutcome NativeCursor::Apply(const UnwindRule& rule) {
  uint64_t cfa = 0;
  StepOutcome outcome = FindCfa(rule, &cfa);
  if (outcome != StepOutcome::kFrame) return outcome;
  if (rule.is_signal_frame && signal_frames_ == kMaxSignalFrames) {
    return StepOutcome::kTooManySignals;
  }
  if (!MayMoveTo(cfa, rule)) return StepOutcome::kNoProgress;
  if (!rule.is_signal_frame && !memory_->MayHoldFrame(cfa)) return StepOutcome::kOutsideStack;

  NativeRegisters caller;
  caller.sp = cfa;
  outcome = Restore(rule.return_address, cfa, kReturnAddressNumber, &caller.pc);
  if (outcome != StepOutcome::kFrame) return outcome;
  if (caller.pc == 0) return StepOutcome::kOutermost;
  const StepOutcome fp = Restore(rule.frame_pointer, cfa, kFramePointerNumber, &caller.fp);
  const StepOutcome saved = Restore(rule.saved, cfa, kSavedNumber, &caller.saved);
  if (fp == StepOutcome::kUnreadable || saved == StepOutcome::kUnreadable) {
    return StepOutcome::kUnreadable;
  }
  if (!rule.is_signal_frame) caller.pc = PlainReturnAddress(caller.pc);

  registers_ = caller;
  sp_is_known_ = true;
  fp_is_known_ = fp == StepOutcome::kFrame;
  saved_is_known_ = saved == StepOutcome::kFrame;
  is_interrupted_ = rule.is_signal_frame;
  if (rule.is_signal_frame) ++signal_frames_;
  context_ = nullptr;
  return StepOutcome::kFrame;
}

StepOutcome NativeCursor::FindCfa(const UnwindRule& rule, uint64_t* cfa) {
  uint64_t base = 0;
  if (!ValueOf(rule.cfa_register, &base)) return StepOutcome::kUnknownRegister;
  *cfa = Plus(base, rule.cfa_offset);
  if (rule.cfa == CfaKind::kPltEntry) {
    if (registers_.pc % kPltEntrySize >= rule.cfa_detail) *cfa += kWord;
  } else if (rule.cfa != CfaKind::kRegister) {
    if (!memory_->Load(*cfa, cfa)) return StepOutcome::kUnreadable;
    *cfa += rule.cfa_detail;
  }
  return StepOutcome::kFrame;
}

// Computes the caller's value of a register. Returns kUnknownRegister if the value is lost; the
// walk can go on as long as no later rule needs it.
StepOutcome NativeCursor::Restore(const Place& place, uint64_t cfa, uint8_t own_register,
                                  uint64_t* value) {
  uint64_t address = 0;
  switch (place.kind) {
    case PlaceKind::kUnchanged:
      return ValueOf(own_register, value) ? StepOutcome::kFrame : StepOutcome::kUnknownRegister;
    case PlaceKind::kInRegister:
      return ValueOf(place.dwarf_register, value) ? StepOutcome::kFrame
                                                  : StepOutcome::kUnknownRegister;
    case PlaceKind::kCfaPlus:
      *value = Plus(cfa, place.offset);
      return StepOutcome::kFrame;
    case PlaceKind::kAtCfa:
      address = Plus(cfa, place.offset);
      break;
    case PlaceKind::kAtRegister:
      if (!ValueOf(place.dwarf_register, &address)) return StepOutcome::kUnknownRegister;
      address = Plus(address, place.offset);
      break;
    case PlaceKind::kUndefined:
    case PlaceKind::kNotCompiled:
      return StepOutcome::kUnknownRegister;
  }
  return memory_->Load(address, value) ? StepOutcome::kFrame : StepOutcome::kUnreadable;
}

bool NativeCursor::ValueOf(uint8_t dwarf_register, uint64_t* value) const {
  switch (dwarf_register) {
    case kStackPointerNumber:
      *value = registers_.sp;
      return sp_is_known_;
    case kFramePointerNumber:
      *value = registers_.fp;
      return fp_is_known_;
    case kSavedNumber:
      *value = registers_.saved;
      return saved_is_known_;
    default:
      return context_ != nullptr && InterruptedRegister(context_, dwarf_register, value);
  }
}

bool NativeCursor::MayMoveTo(uint64_t sp, const UnwindRule& rule) const {
  if (sp % kWord != 0) return false;
  if (rule.is_signal_frame || sp > registers_.sp) return true;
  // sp can stay the same if the function was interrupted before it pushed anything, or after it
  // popped everything.
  const PlaceKind caller = rule.return_address.kind;
  const bool is_in_register = caller == PlaceKind::kUnchanged || caller == PlaceKind::kInRegister;
  return is_interrupted_ && is_in_register && sp == registers_.sp;
}

StepOutcome NativeCursor::StepWithoutRule() {
  if (is_interrupted_ && StepAsLeaf()) return StepOutcome::kFrame;
  // Code that keeps no frame pointer can have any value in that register, even 0.
  const StepOutcome outcome = StepByFramePointer();
  return outcome == StepOutcome::kOutermost ? StepOutcome::kNoInformation : outcome;
}

// Assumes that the function has nothing on the stack, so that its return address is where the call
// has put it. The address is accepted if it is in code with a rule.
bool NativeCursor::StepAsLeaf() {
  uint64_t pc = registers_.saved;
  if (kCallsPush && !memory_->Load(registers_.sp, &pc)) return false;
  pc = PlainReturnAddress(pc);
  if (!HasRule(pc)) return false;
  if (kCallsPush) registers_.sp += kWord;
  MoveTo(pc);
  return true;
}

bool NativeCursor::StepByLink(uint64_t low, uint64_t high) {
  if (kCallsPush || !is_interrupted_ || !saved_is_known_) return false;
  const uint64_t pc = PlainReturnAddress(registers_.saved);
  if (pc - low >= high - low && !HasRule(pc)) return false;
  MoveTo(pc);
  return true;
}

bool NativeCursor::HasRule(uint64_t return_address) const {
  UnwindRule rule;
  return code_->FindRule(return_address - 1, memory_->faults(), &rule) &&
         rule.cfa != CfaKind::kNoInformation;
}

void NativeCursor::MoveTo(uint64_t caller_pc) {
  registers_.pc = caller_pc;
  is_interrupted_ = false;
  context_ = nullptr;
}

StepOutcome NativeCursor::StepByFramePointer() {
  const StepOutcome outcome = jprof::StepByFramePointer(*memory_, &registers_);
  if (outcome == StepOutcome::kFrame) {
    sp_is_known_ = kCallsPush;
    fp_is_known_ = true;
    saved_is_known_ = false;
    is_interrupted_ = false;
    context_ = nullptr;
  }
  return outcome;
}

}  // namespace jprof
