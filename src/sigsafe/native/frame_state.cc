#include "sigsafe/native/frame_state.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "sigsafe/native/native_registers.h"
#include "sigsafe/native/signal_frame.h"

namespace jprof {
namespace {

// DWARF 5, 7.7.1 "Operation Expressions".
enum Operation : uint8_t {
  kDeref = 0x06,
  kAnd = 0x1a,
  kPlus = 0x22,
  kPlusUconst = 0x23,
  kShl = 0x24,
  kGe = 0x2a,
  kLit0 = 0x30,
  kLit3 = 0x33,
  kLit15 = 0x3f,
  kLit31 = 0x4f,
  kBreg0 = 0x70,
  kBreg31 = 0x8f,
};

constexpr uint8_t kX64Pc = 16;
constexpr uint64_t kMaxDetail = 255;

struct BaseAndOffset {
  uint8_t dwarf_register;
  int32_t offset;
};

std::optional<BaseAndOffset> TakeBase(FrameBytes& expression) {
  const uint8_t operation = expression.U8();
  const int64_t offset = expression.Sleb();
  const auto narrow = static_cast<int32_t>(offset);
  if (!expression.ok() || operation < kBreg0 || operation > kBreg31 || narrow != offset) {
    return std::nullopt;
  }
  return BaseAndOffset{static_cast<uint8_t>(operation - kBreg0), narrow};
}

// Returns n if the expression computes sp + offset + ((pc & 15) >= n ? 8 : 0), else 0. The caller
// of this function has already read sp + offset. GNU ld and lld write this expression for .plt
// (binutils 2.40 bfd/elfxx-x86.c and elf64-x86-64.c, elf_x86_64_eh_frame_lazy_plt).
uint8_t TakePltThreshold(FrameBytes expression) {
  const std::optional<BaseAndOffset> pc = TakeBase(expression);
  if (!pc || pc->dwarf_register != kX64Pc || pc->offset != 0) return 0;
  if (expression.U8() != kLit15 || expression.U8() != kAnd) return 0;
  const uint8_t threshold = expression.U8();
  if (threshold <= kLit0 || threshold > kLit15) return 0;
  for (const uint8_t expected : {kGe, kLit3, kShl, kPlus}) {
    if (expression.U8() != expected) return 0;
  }
  return expression.ok() && expression.at_end() ? static_cast<uint8_t>(threshold - kLit0) : 0;
}

// Returns the constant that the rest of the expression adds; 0 if nothing follows. Returns nullopt
// if the rest does anything else.
std::optional<uint64_t> TakeAddend(FrameBytes& expression) {
  if (expression.at_end()) return 0;
  uint64_t addend = 0;
  const uint8_t operation = expression.U8();
  if (operation == kPlusUconst) {
    addend = expression.Uleb();
  } else if (operation >= kLit0 && operation <= kLit31 && expression.U8() == kPlus) {
    addend = operation - kLit0;
  } else {
    return std::nullopt;
  }
  if (!expression.ok() || !expression.at_end() || addend > kMaxDetail) return std::nullopt;
  return addend;
}

}  // namespace

void SetCfaExpression(FrameBytes expression, UnwindRule* rule) {
  rule->cfa = CfaKind::kUnsupported;
  rule->cfa_detail = 0;
  const std::optional<BaseAndOffset> base = TakeBase(expression);
  if (!base) return;
  rule->cfa_register = base->dwarf_register;
  rule->cfa_offset = base->offset;
  if (expression.at_end()) {
    rule->cfa = CfaKind::kRegister;
    return;
  }
  if (const uint8_t threshold = TakePltThreshold(expression); threshold != 0) {
    rule->cfa = CfaKind::kPltEntry;
    rule->cfa_detail = threshold;
    return;
  }
  if (expression.U8() != kDeref) return;
  if (const std::optional<uint64_t> addend = TakeAddend(expression)) {
    rule->cfa = CfaKind::kAtRegister;
    rule->cfa_detail = static_cast<uint8_t>(*addend);
  }
}

Place PlaceOfExpression(FrameBytes expression) {
  const std::optional<BaseAndOffset> base = TakeBase(expression);
  if (!base || !expression.at_end()) return {PlaceKind::kNotCompiled, 0, 0};
  return {PlaceKind::kAtRegister, base->dwarf_register, base->offset};
}

UnwindRule RuleWithoutFrame(CfaKind kind) {
  UnwindRule rule;
  rule.cfa = kind;
  return rule;
}

FrameState::FrameState(const CommonFrame& common) : common_(&common) {
  rule_.cfa = CfaKind::kUnsupported;
  rule_.is_signal_frame = common.is_signal_frame;
}

int64_t FrameState::Factored(int64_t offset) const {
  int64_t product = 0;
  return __builtin_mul_overflow(offset, common_->data_alignment, &product) ? INT64_MAX : product;
}

int32_t FrameState::Narrow(int64_t offset) {
  const auto narrow = static_cast<int32_t>(offset);
  if (narrow != offset) Invalidate();
  return narrow;
}

void FrameState::SetCfa(uint64_t dwarf_register, int64_t offset) {
  if (dwarf_register > kMaxDwarfRegister) Invalidate();
  rule_.cfa = CfaKind::kRegister;
  rule_.cfa_register = static_cast<uint8_t>(dwarf_register);
  rule_.cfa_offset = Narrow(offset);
  rule_.cfa_detail = 0;
}

void FrameState::SetCfaByExpression(FrameBytes expression) { SetCfaExpression(expression, &rule_); }

void FrameState::Save(uint64_t dwarf_register, const Place& place) {
  // On AArch64 one register can contain the return address and also have a place of its own in the
  // rule. Both places are then set.
  if (dwarf_register == common_->return_address_register) rule_.return_address = place;
  if (dwarf_register == kFramePointerNumber) rule_.frame_pointer = place;
  if (dwarf_register == kSavedNumber) rule_.saved = place;
  if (dwarf_register == kStackPointerNumber) stack_pointer_ = place;
}

void FrameState::SaveAtCfa(uint64_t dwarf_register, int64_t offset) {
  Save(dwarf_register, {PlaceKind::kAtCfa, 0, Narrow(Factored(offset))});
}

void FrameState::SaveCfaPlus(uint64_t dwarf_register, int64_t offset) {
  Save(dwarf_register, {PlaceKind::kCfaPlus, 0, Narrow(Factored(offset))});
}

Place FrameState::PlaceOf(uint64_t dwarf_register) const {
  if (dwarf_register == common_->return_address_register) return rule_.return_address;
  if (dwarf_register == kFramePointerNumber) return rule_.frame_pointer;
  if (dwarf_register == kSavedNumber) return rule_.saved;
  if (dwarf_register == kStackPointerNumber) return stack_pointer_;
  return {};
}

UnwindRule FrameState::Rule() const {
  const PlaceKind caller = rule_.return_address.kind;
  const bool is_compiled = rule_.cfa != CfaKind::kUnsupported && !is_invalid_ &&
                           caller != PlaceKind::kNotCompiled &&
                           !(kCallsPush && caller == PlaceKind::kUnchanged) &&
                           common_->return_address_register == kReturnAddressNumber;
  if (!is_compiled) return RuleWithoutFrame(CfaKind::kUnsupported);
  if (caller == PlaceKind::kUndefined) return RuleWithoutFrame(CfaKind::kOutermost);
  if (rule_.is_signal_frame) return SignalFrameRule(rule_);
  if (stack_pointer_.kind == PlaceKind::kUnchanged) return rule_;
  return WithStackPointer();
}

// Returns the rule of a function that describes the caller's sp separately from the CFA, as longjmp
// does. Places relative to the CFA become relative to the CFA's register, so that the CFA of the
// rule can be the caller's sp.
UnwindRule FrameState::WithStackPointer() const {
  if (rule_.cfa != CfaKind::kRegister || stack_pointer_.kind != PlaceKind::kInRegister) {
    return RuleWithoutFrame(CfaKind::kUnsupported);
  }
  UnwindRule rule = rule_;
  for (Place* place : {&rule.return_address, &rule.frame_pointer, &rule.saved}) {
    if (place->kind == PlaceKind::kCfaPlus) *place = {PlaceKind::kNotCompiled, 0, 0};
    if (place->kind != PlaceKind::kAtCfa) continue;
    place->kind = PlaceKind::kAtRegister;
    place->dwarf_register = rule_.cfa_register;
    if (__builtin_add_overflow(place->offset, rule_.cfa_offset, &place->offset)) {
      *place = {PlaceKind::kNotCompiled, 0, 0};
    }
  }
  rule.cfa_register = stack_pointer_.dwarf_register;
  rule.cfa_offset = 0;
  return rule;
}

}  // namespace jprof
