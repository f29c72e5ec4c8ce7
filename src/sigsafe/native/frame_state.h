// FrameState holds the unwind rule at the current address while the call frame instructions of a
// function are executed. SetCfaExpression and PlaceOfExpression convert DWARF expressions to parts
// of unwind rules.
//
// Async-signal-safe; a FrameState is used by one thread. An instruction whose effect no rule
// can express makes the rule kUnsupported until a later instruction replaces that effect. An
// operand out of range makes the rule kUnsupported for the rest of the function.
#pragma once

#include <cstdint>

#include "sigsafe/native/frame_entry.h"
#include "sigsafe/native/unwind_table.h"

namespace jprof {

// Compilers and the C library use few forms of DWARF expressions: for the entries of a procedure
// linkage table (PLT), for realigned stacks and for signal frames. The bytes of an expression are
// not trusted.

// Sets the CFA of `rule` to the value of `expression`. Three forms are supported: register +
// offset; the word in memory at register + offset, plus an optional constant; and the expression
// that linkers write for PLT entries. For any other expression the CFA becomes kUnsupported.
void SetCfaExpression(FrameBytes expression, UnwindRule* rule);

// Returns the place at which a register was saved. The form register + offset is supported. For any
// other expression the place is kNotCompiled.
Place PlaceOfExpression(FrameBytes expression);

inline constexpr uint64_t kMaxDwarfRegister = 255;

class FrameState {
 public:
  FrameState() = default;
  explicit FrameState(const CommonFrame& common);

  void SetCfa(uint64_t dwarf_register, int64_t offset);
  void SetCfaRegister(uint64_t dwarf_register) { SetCfa(dwarf_register, rule_.cfa_offset); }
  void SetCfaOffset(int64_t offset) { SetCfa(rule_.cfa_register, offset); }
  void SetCfaByExpression(FrameBytes expression);

  // Sets the place of the caller's value of a register. Does nothing for registers that have no
  // place in an UnwindRule.
  void Save(uint64_t dwarf_register, const Place& place);

  // Records that the caller's value of a register is in the word at CFA + `offset`. `offset` is in
  // units of the data alignment.
  void SaveAtCfa(uint64_t dwarf_register, int64_t offset);

  // Records that the caller's value of a register is CFA + `offset` itself. `offset` is in units of
  // the data alignment.
  void SaveCfaPlus(uint64_t dwarf_register, int64_t offset);

  // Returns `offset` times the data alignment, in bytes; INT64_MAX if the product overflows.
  int64_t Factored(int64_t offset) const;

  Place PlaceOf(uint64_t dwarf_register) const;

  // Makes the rule kUnsupported for the rest of the function.
  void Invalidate() { is_invalid_ = true; }

  // Returns the current rule. Fields that the kind of the rule does not use are 0, so that rules
  // with the same meaning compare equal.
  UnwindRule Rule() const;

 private:
  int32_t Narrow(int64_t offset);
  UnwindRule WithStackPointer() const;

  const CommonFrame* common_ = nullptr;
  UnwindRule rule_;
  Place stack_pointer_;  // kUnchanged if the caller's sp is the CFA, as in nearly all code
  bool is_invalid_ = false;
};

// Returns a rule with the CFA `kind` and no places.
UnwindRule RuleWithoutFrame(CfaKind kind);

}  // namespace jprof
