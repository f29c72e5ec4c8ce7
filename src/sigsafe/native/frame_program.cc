#include "sigsafe/native/frame_program.h"

namespace jprof {
namespace {

// The call frame instructions of DWARF 5, 7.24 "Call Frame Information"; those of GNU are in GCC 12
// include/dwarf2.def.
enum Instruction : uint8_t {
  kAdvance = 0x40,  // kAdvance, kOffset, kRestore: operand in the lower six bits
  kOffset = 0x80,
  kRestore = 0xc0,
  kNop = 0x00,
  kSetLocation = 0x01,
  kAdvance1 = 0x02,
  kAdvance2 = 0x03,
  kAdvance4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kDefCfaExpression = 0x0f,
  kExpression = 0x10,
  kOffsetExtendedSigned = 0x11,
  kDefCfaSigned = 0x12,
  kDefCfaOffsetSigned = 0x13,
  kValueOffset = 0x14,
  kValueOffsetSigned = 0x15,
  kValueExpression = 0x16,
  kAdvance8 = 0x1d,
  kNegateReturnAddressState = 0x2d,
  kGnuArgumentsSize = 0x2e,
  kGnuNegativeOffset = 0x2f,
};

constexpr uint8_t kHighBits = 0xc0;

}  // namespace

FrameProgram::FrameProgram(const FunctionFrame& function)
    : function_(function),
      code_(function.common->instructions),
      state_(*function.common),
      initial_(*function.common),
      location_(function.begin),
      next_(function.begin) {}

bool FrameProgram::Next(RuleStart* start) {
  while (!is_finished_) {
    const RuleStart found = {location_, RuleToNextMove()};
    location_ = next_;
    if (found.address >= function_.end) return false;
    if (has_previous_ && found.rule == previous_) continue;
    previous_ = found.rule;
    has_previous_ = true;
    *start = found;
    return true;
  }
  return false;
}

// Executes instructions up to the next one that moves the location, or up to the end. Returns the
// rule that holds at the location before the move.
UnwindRule FrameProgram::RuleToNextMove() {
  while (next_ == location_ && !is_finished_) {
    if (!code_.at_end()) {
      if (!ExecuteOne(code_) || !code_.ok()) Fail();
    } else if (!code_.ok()) {
      Fail();
    } else if (is_initial_) {
      is_initial_ = false;
      initial_ = state_;
      code_ = function_.instructions;
    } else {
      is_finished_ = true;
    }
  }
  return state_.Rule();
}

void FrameProgram::Fail() {
  state_.Invalidate();
  next_ = location_;
  is_finished_ = true;
}

bool FrameProgram::ExecuteOne(FrameBytes& code) {
  const uint8_t byte = code.U8();
  const uint8_t operand = byte & ~kHighBits;
  switch (byte & kHighBits) {
    case kAdvance:
      return Advance(operand);
    case kOffset:
      state_.SaveAtCfa(operand, static_cast<int64_t>(code.Uleb()));
      return true;
    case kRestore:
      state_.Save(operand, initial_.PlaceOf(operand));
      return true;
    default:
      return ExecuteExtended(byte, code);
  }
}

bool FrameProgram::ExecuteExtended(uint8_t instruction, FrameBytes& code) {
  switch (instruction) {
    case kNop:
    case kNegateReturnAddressState:  // walks remove signatures (PlainReturnAddress)
      return true;
    case kGnuArgumentsSize:
      code.Uleb();
      return true;
    case kSetLocation:
      return MoveTo(code.Pointer(function_.common->pointer_encoding, 0));
    case kAdvance1:
      return Advance(code.U8());
    case kAdvance2:
      return Advance(code.U16());
    case kAdvance4:
      return Advance(code.U32());
    case kAdvance8:
      return Advance(code.U64());
    case kRememberState:
      if (remembered_count_ == kMaxRemembered) return false;
      remembered_[remembered_count_++] = state_;
      return true;
    case kRestoreState:
      if (remembered_count_ == 0) return false;
      state_ = remembered_[--remembered_count_];
      return true;
    default:
      return ExecuteCfa(instruction, code) || ExecuteRegister(instruction, code);
  }
}

bool FrameProgram::ExecuteCfa(uint8_t instruction, FrameBytes& code) {
  switch (instruction) {
    case kDefCfa: {
      const uint64_t number = code.Uleb();
      state_.SetCfa(number, static_cast<int64_t>(code.Uleb()));
      return true;
    }
    case kDefCfaSigned: {
      const uint64_t number = code.Uleb();
      state_.SetCfa(number, state_.Factored(code.Sleb()));
      return true;
    }
    case kDefCfaRegister:
      state_.SetCfaRegister(code.Uleb());
      return true;
    case kDefCfaOffset:
      state_.SetCfaOffset(static_cast<int64_t>(code.Uleb()));
      return true;
    case kDefCfaOffsetSigned:
      state_.SetCfaOffset(state_.Factored(code.Sleb()));
      return true;
    case kDefCfaExpression:
      state_.SetCfaByExpression(code.Take(code.Uleb()));
      return true;
    default:
      return false;
  }
}

// Executes an instruction whose first operand is the number of a register.
bool FrameProgram::ExecuteRegister(uint8_t instruction, FrameBytes& code) {
  const uint64_t number = code.Uleb();
  switch (instruction) {
    case kOffsetExtended:
      state_.SaveAtCfa(number, static_cast<int64_t>(code.Uleb()));
      return true;
    case kOffsetExtendedSigned:
      state_.SaveAtCfa(number, code.Sleb());
      return true;
    case kGnuNegativeOffset:
      state_.SaveAtCfa(number, static_cast<int64_t>(0 - code.Uleb()));
      return true;
    case kValueOffset:
      state_.SaveCfaPlus(number, static_cast<int64_t>(code.Uleb()));
      return true;
    case kValueOffsetSigned:
      state_.SaveCfaPlus(number, code.Sleb());
      return true;
    case kRestoreExtended:
      state_.Save(number, initial_.PlaceOf(number));
      return true;
    case kUndefined:
      state_.Save(number, {PlaceKind::kUndefined, 0, 0});
      return true;
    case kSameValue:
      state_.Save(number, {});
      return true;
    case kRegister: {
      const uint64_t other = code.Uleb();
      state_.Save(number, other > kMaxDwarfRegister
                              ? Place{PlaceKind::kNotCompiled, 0, 0}
                              : Place{PlaceKind::kInRegister, static_cast<uint8_t>(other), 0});
      return true;
    }
    case kExpression:
      state_.Save(number, PlaceOfExpression(code.Take(code.Uleb())));
      return true;
    case kValueExpression:
      code.Skip(code.Uleb());
      state_.Save(number, {PlaceKind::kNotCompiled, 0, 0});
      return true;
    default:
      return false;
  }
}

bool FrameProgram::Advance(uint64_t delta) {
  uint64_t bytes = 0;
  uint64_t to = 0;
  if (__builtin_mul_overflow(delta, function_.common->code_alignment, &bytes) ||
      __builtin_add_overflow(location_, bytes, &to)) {
    return false;
  }
  return MoveTo(to);
}

bool FrameProgram::MoveTo(uint64_t location) {
  if (location < location_ || location > function_.end) return false;
  next_ = location;
  return true;
}

}  // namespace jprof
