#include "unwind/frame_state.h"

#include "sigsafe/native/native_registers.h"
#include "unwind/frame_expression.h"
#include "unwind/signal_frame.h"

namespace jprof {

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
  // On AArch64 the return address is in a register that is followed as well: both places are set.
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

// A rule for the caller's sp beside that for the CFA (longjmp has one): places at the CFA are put
// in terms of its register, so that the CFA is free to say the caller's sp.
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
