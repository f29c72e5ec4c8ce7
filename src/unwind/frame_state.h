// FrameState: the rule that holds at one place of a function, while its instructions are run.
//
// Not for handlers. DWARF that no rule can express ends in kUnsupported, for the place in
// question and, where an operand did not fit, for the rest of the function.
#pragma once

#include <cstdint>

#include "sigsafe/native/unwind_rule.h"
#include "unwind/frame_bytes.h"
#include "unwind/frame_section.h"

namespace jprof {

inline constexpr uint64_t kMaxDwarfRegister = 255;

class FrameState {
 public:
  explicit FrameState(const CommonFrame& common);

  void SetCfa(uint64_t dwarf_register, int64_t offset);
  void SetCfaRegister(uint64_t dwarf_register) { SetCfa(dwarf_register, rule_.cfa_offset); }
  void SetCfaOffset(int64_t offset) { SetCfa(rule_.cfa_register, offset); }
  void SetCfaByExpression(FrameBytes expression);

  // Where the caller's value of a register is. Of registers that rules do not follow: ignored.
  void Save(uint64_t dwarf_register, const Place& place);

  // As Save; `offset` is the CFA's distance in units of the data alignment.
  void SaveAtCfa(uint64_t dwarf_register, int64_t offset);
  void SaveCfaPlus(uint64_t dwarf_register, int64_t offset);

  // `offset` in bytes; INT64_MAX if that is no number.
  int64_t Factored(int64_t offset) const;

  Place PlaceOf(uint64_t dwarf_register) const;

  // From here on nothing is known.
  void Spoil() { is_spoilt_ = true; }

  // Fields that a kind does not use are zero, so that equal rules are equal.
  UnwindRule Rule() const;

 private:
  int32_t Narrow(int64_t offset);
  UnwindRule WithStackPointer() const;

  const CommonFrame* common_;
  UnwindRule rule_;
  Place stack_pointer_;  // kUnchanged: the caller's sp is the CFA, as in nearly all code
  bool is_spoilt_ = false;
};

UnwindRule RuleWithoutFrame(CfaKind kind);

}  // namespace jprof
