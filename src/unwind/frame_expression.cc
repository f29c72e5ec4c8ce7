#include "unwind/frame_expression.h"

#include <cstdint>
#include <limits>
#include <optional>

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

// The rest of: sp + offset + ((pc & 15) >= n ? 8 : 0). GNU ld and lld give it to .plt
// (binutils 2.40 bfd/elfxx-x86.c and elf64-x86-64.c, elf_x86_64_eh_frame_lazy_plt). 0 if it is
// something else.
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

// A constant that is added at the end; nullopt if something else follows.
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

}  // namespace jprof
