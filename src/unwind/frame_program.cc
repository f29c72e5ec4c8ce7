#include "unwind/frame_program.h"

#include <utility>

#include "sigsafe/native/native_registers.h"
#include "unwind/frame_expression.h"
#include "unwind/signal_frame.h"

namespace jprof {
namespace {

// DWARF 5, 7.24 "Call Frame Information"; the GNU ones: GCC 12 include/dwarf2.def.
enum Instruction : uint8_t {
  kAdvance = 0x40,  // these three hold an operand in their lower six bits
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
constexpr uint64_t kMaxRegister = 255;

UnwindRule RuleOf(CfaKind kind) {
  UnwindRule rule;
  rule.cfa = kind;
  return rule;
}

class FrameProgram {
  struct State {
    UnwindRule rule;
    Place stack_pointer;  // kUnchanged: the caller's sp is the CFA, as in nearly all code
  };

 public:
  FrameProgram(const FunctionFrame& function, std::vector<RuleStart>* starts)
      : function_(function), common_(*function.common), starts_(*starts) {}

  void Run() {
    location_ = function_.begin;
    state_.rule.cfa = CfaKind::kUnsupported;
    state_.rule.is_signal_frame = common_.is_signal_frame;
    bool understood = Execute(common_.instructions);
    initial_ = state_;
    understood = understood && Execute(function_.instructions);
    if (!understood) state_.rule.cfa = CfaKind::kUnsupported;
    Emit();
  }

 private:
  bool Execute(FrameBytes code) {
    while (!code.at_end()) {
      if (!ExecuteOne(code) || !code.ok()) return false;
    }
    return code.ok();
  }

  bool ExecuteOne(FrameBytes& code) {
    const uint8_t byte = code.U8();
    const uint8_t operand = byte & ~kHighBits;
    switch (byte & kHighBits) {
      case kAdvance:
        return Advance(operand);
      case kOffset:
        Save(operand, {PlaceKind::kAtCfa, 0, Factored(code.Uleb())});
        return true;
      case kRestore:
        Save(operand, InitialPlaceOf(operand));
        return true;
      default:
        return ExecuteExtended(byte, code);
    }
  }

  bool ExecuteExtended(uint8_t instruction, FrameBytes& code) {
    switch (instruction) {
      case kNop:
      case kNegateReturnAddressState:  // signed or not: PlainReturnAddress
        return true;
      case kGnuArgumentsSize:
        code.Uleb();
        return true;
      case kSetLocation:
        return MoveTo(code.Pointer(common_.pointer_encoding, 0));
      case kAdvance1:
        return Advance(code.U8());
      case kAdvance2:
        return Advance(code.U16());
      case kAdvance4:
        return Advance(code.U32());
      case kAdvance8:
        return Advance(code.U64());
      case kRememberState:
        remembered_.push_back(state_);  // at most one an instruction byte
        return true;
      case kRestoreState:
        if (remembered_.empty()) return false;
        state_ = remembered_.back();
        remembered_.pop_back();
        return true;
      default:
        return ExecuteCfa(instruction, code) || ExecuteRegister(instruction, code);
    }
  }

  bool ExecuteCfa(uint8_t instruction, FrameBytes& code) {
    switch (instruction) {
      case kDefCfa: {
        const uint64_t number = code.Uleb();
        SetCfa(number, static_cast<int64_t>(code.Uleb()));
        return true;
      }
      case kDefCfaSigned: {
        const uint64_t number = code.Uleb();
        SetCfa(number, FactoredWide(code.Sleb()));
        return true;
      }
      case kDefCfaRegister:
        SetCfa(code.Uleb(), state_.rule.cfa_offset);
        return true;
      case kDefCfaOffset:
        SetCfa(state_.rule.cfa_register, static_cast<int64_t>(code.Uleb()));
        return true;
      case kDefCfaOffsetSigned:
        SetCfa(state_.rule.cfa_register, FactoredWide(code.Sleb()));
        return true;
      case kDefCfaExpression:
        SetCfaExpression(code.Take(code.Uleb()), &state_.rule);
        return true;
      default:
        return false;
    }
  }

  // Each has a register's number as its first operand.
  bool ExecuteRegister(uint8_t instruction, FrameBytes& code) {
    const uint64_t number = code.Uleb();
    switch (instruction) {
      case kOffsetExtended:
        Save(number, {PlaceKind::kAtCfa, 0, Factored(code.Uleb())});
        return true;
      case kOffsetExtendedSigned:
        Save(number, {PlaceKind::kAtCfa, 0, FactoredSigned(code.Sleb())});
        return true;
      case kGnuNegativeOffset:
        Save(number, {PlaceKind::kAtCfa, 0, FactoredSigned(-static_cast<int64_t>(code.Uleb()))});
        return true;
      case kValueOffset:
        Save(number, {PlaceKind::kCfaPlus, 0, Factored(code.Uleb())});
        return true;
      case kValueOffsetSigned:
        Save(number, {PlaceKind::kCfaPlus, 0, FactoredSigned(code.Sleb())});
        return true;
      case kRestoreExtended:
        Save(number, InitialPlaceOf(number));
        return true;
      case kUndefined:
        Save(number, {PlaceKind::kUndefined, 0, 0});
        return true;
      case kSameValue:
        Save(number, {});
        return true;
      case kRegister: {
        const uint64_t other = code.Uleb();
        Save(number, other > kMaxRegister
                         ? Place{PlaceKind::kNotCompiled, 0, 0}
                         : Place{PlaceKind::kInRegister, static_cast<uint8_t>(other), 0});
        return true;
      }
      case kExpression:
        Save(number, PlaceOfExpression(code.Take(code.Uleb())));
        return true;
      case kValueExpression:
        code.Skip(code.Uleb());
        Save(number, {PlaceKind::kNotCompiled, 0, 0});
        return true;
      default:
        return false;
    }
  }

  int64_t FactoredWide(int64_t offset) const {
    int64_t product = 0;
    return __builtin_mul_overflow(offset, common_.data_alignment, &product) ? INT64_MAX : product;
  }
  int32_t FactoredSigned(int64_t offset) {
    const int64_t product = FactoredWide(offset);
    const auto narrow = static_cast<int32_t>(product);
    if (narrow != product) is_too_wide_ = true;
    return narrow;
  }
  int32_t Factored(uint64_t offset) { return FactoredSigned(static_cast<int64_t>(offset)); }

  void SetCfa(uint64_t number, int64_t offset) {
    const auto narrow = static_cast<int32_t>(offset);
    if (number > kMaxRegister || narrow != offset) is_too_wide_ = true;
    state_.rule.cfa = CfaKind::kRegister;
    state_.rule.cfa_register = static_cast<uint8_t>(number);
    state_.rule.cfa_offset = narrow;
    state_.rule.cfa_detail = 0;
  }

  void Save(uint64_t number, const Place& place) {
    // On AArch64 the return address is in a register of its own right: both places are set.
    if (number == common_.return_address_register) state_.rule.return_address = place;
    if (number == kFramePointerNumber) state_.rule.frame_pointer = place;
    if (number == kSavedNumber) state_.rule.saved = place;
    if (number == kStackPointerNumber) state_.stack_pointer = place;
  }

  Place InitialPlaceOf(uint64_t number) const {
    if (number == common_.return_address_register) return initial_.rule.return_address;
    if (number == kFramePointerNumber) return initial_.rule.frame_pointer;
    if (number == kSavedNumber) return initial_.rule.saved;
    return {};  // of sp: the CFA again
  }

  bool Advance(uint64_t delta) {
    uint64_t bytes = 0;
    uint64_t to = 0;
    if (__builtin_mul_overflow(delta, common_.code_alignment, &bytes) ||
        __builtin_add_overflow(location_, bytes, &to)) {
      return false;
    }
    return MoveTo(to);
  }

  bool MoveTo(uint64_t location) {
    if (location < location_ || location > function_.end) return false;
    if (location != location_) Emit();
    location_ = location;
    return true;
  }

  void Emit() {
    if (location_ >= function_.end) return;
    const UnwindRule rule = Compiled();
    if (starts_.empty() || starts_.back().rule != rule) starts_.push_back({location_, rule});
  }

  // Fields that a kind does not use are zero, so that equal rules are equal.
  UnwindRule Compiled() const {
    const PlaceKind caller = state_.rule.return_address.kind;
    const bool is_compiled = state_.rule.cfa != CfaKind::kUnsupported && !is_too_wide_ &&
                             caller != PlaceKind::kNotCompiled &&
                             !(kCallsPush && caller == PlaceKind::kUnchanged) &&
                             common_.return_address_register == kReturnAddressNumber;
    if (!is_compiled) return RuleOf(CfaKind::kUnsupported);
    if (caller == PlaceKind::kUndefined) return RuleOf(CfaKind::kOutermost);
    if (state_.rule.is_signal_frame) return SignalFrameRule(state_.rule);
    if (state_.stack_pointer.kind == PlaceKind::kUnchanged) return state_.rule;
    return WithStackPointer();
  }

  // A rule for the caller's sp beside that for the CFA (longjmp has one): what lies at the CFA is
  // put in terms of its register, so that the CFA is free to say the caller's sp.
  UnwindRule WithStackPointer() const {
    if (state_.rule.cfa != CfaKind::kRegister ||
        state_.stack_pointer.kind != PlaceKind::kInRegister) {
      return RuleOf(CfaKind::kUnsupported);
    }
    UnwindRule rule = state_.rule;
    for (Place* place : {&rule.return_address, &rule.frame_pointer, &rule.saved}) {
      if (place->kind == PlaceKind::kCfaPlus) *place = {PlaceKind::kNotCompiled, 0, 0};
      if (place->kind != PlaceKind::kAtCfa) continue;
      place->kind = PlaceKind::kAtRegister;
      place->dwarf_register = state_.rule.cfa_register;
      const bool fits =
          !__builtin_add_overflow(place->offset, state_.rule.cfa_offset, &place->offset);
      if (!fits) *place = {PlaceKind::kNotCompiled, 0, 0};
    }
    rule.cfa_register = state_.stack_pointer.dwarf_register;
    rule.cfa_offset = 0;
    return rule;
  }

  const FunctionFrame& function_;
  const CommonFrame& common_;
  std::vector<RuleStart>& starts_;
  std::vector<State> remembered_;
  State state_;
  State initial_;
  uint64_t location_ = 0;
  bool is_too_wide_ = false;  // an operand did not fit: nothing behind it is believed
};

}  // namespace

void RunFrameProgram(const FunctionFrame& function, std::vector<RuleStart>* starts) {
  starts->clear();
  FrameProgram(function, starts).Run();
  if (starts->empty() && function.begin < function.end) {
    starts->push_back({function.begin, RuleOf(CfaKind::kUnsupported)});
  }
}

}  // namespace jprof
