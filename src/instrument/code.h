// Code is the Code attribute of a method (JVMS 4.7.3), checked and split into instructions.
// OpcodeShape describes the operands of an instruction of the JVM, and the effect of the
// instruction on the operand stack (opcodes.def).
//
// A bci ("bytecode index") is an offset into the code, as in the JVM's own sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/bytes.h"
#include "instrument/class_file.h"

namespace jprof::instrument {

// The layout of the operands of an instruction.
enum class OperandLayout : uint8_t {
  kPlain,         // none
  kByte,          // a constant, or an index of the pool
  kShort,         // a constant, or an index of the pool
  kLocal,         // the index of a local variable; may be wide
  kIncrement,     // iinc; may be wide
  kBranch,        // an offset of two bytes
  kWideBranch,    // an offset of four bytes
  kThreeBytes,    // an index of the pool and a byte
  kFourBytes,     // an index of the pool and two bytes
  kTableSwitch,   // padded to four bytes; offsets of four bytes
  kLookupSwitch,  // padded to four bytes; pairs of a value and an offset, of four bytes each
  kWide,          // another instruction, of kLocal or kIncrement
};

// The value of OpcodeShape::pops and OpcodeShape::pushes if the number of slots depends on the
// operands or on the stack.
inline constexpr int8_t kVaries = -1;

struct OpcodeShape {
  OperandLayout layout;
  int8_t pops;    // slots taken from the operand stack, or kVaries
  int8_t pushes;  // slots put on the operand stack, or kVaries
};

// The opcodes, named as in the specification, with a prefix that distinguishes them from keywords
// of C++.
enum Opcode : uint8_t {
#define OPCODE(name, layout, pops, pushes) kOp_##name,
#include "instrument/opcodes.def"
#undef OPCODE
};

// The shapes of instructions, by opcode. Opcodes from kOpcodes on cannot occur in a class file.
inline constexpr OpcodeShape kOpcodeShapes[] = {
#define OPCODE(name, layout, pops, pushes) {OperandLayout::layout, pops, pushes},
#include "instrument/opcodes.def"
#undef OPCODE
};
inline constexpr size_t kOpcodes = sizeof(kOpcodeShapes) / sizeof(kOpcodeShapes[0]);
static_assert(kOpcodes == 202 && kOp_jsr_w == 201);

constexpr bool IsReturn(uint8_t opcode) { return opcode >= kOp_ireturn && opcode <= kOp_return; }

// True if execution never falls through from an instruction with this opcode to the next
// instruction. False for jsr, because its subroutine can return.
constexpr bool NeverFallsThrough(uint8_t opcode) {
  return IsReturn(opcode) || opcode == kOp_athrow || opcode == kOp_goto || opcode == kOp_goto_w ||
         opcode == kOp_ret || opcode == kOp_tableswitch || opcode == kOp_lookupswitch;
}

inline constexpr uint32_t kMaxCodeLength = 65535;

struct Instruction {
  uint16_t bci = 0;
  uint8_t opcode = 0;
};

struct Handler {
  uint16_t start = 0;
  uint16_t end = 0;  // exclusive; at most the length of the code
  uint16_t handler = 0;
  uint16_t catch_type = 0;
};

class Code {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Parses the content of a Code attribute. Returns nullopt if the content is malformed, for
  // example if it contains an unknown instruction, or if a branch or handler does not lead to the
  // start of an instruction. The class file must outlive the result.
  static std::optional<Code> Parse(Bytes attribute, const ConstantPool& pool);

  uint16_t max_stack() const { return max_stack_; }
  uint16_t max_locals() const { return max_locals_; }
  Bytes bytes() const { return bytes_; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<Handler>& handlers() const { return handlers_; }
  const std::vector<Attribute>& attributes() const { return attributes_; }

  // Returns the index of the instruction that starts at `bci`; kNone if no instruction starts
  // there.
  uint32_t IndexAt(uint32_t bci) const { return bci < bytes_.size() ? index_of_[bci] : kNone; }
  // Returns the bytes of an instruction, the opcode first.
  Bytes BytesOf(uint32_t index) const;

  // Calls visit(position, width, target) for every branch offset of the instruction. `position` is
  // the position of the offset within the instruction, `width` is its width in bytes, and `target`
  // is the bci to which it leads.
  template <typename Visit>
  void ForEachBranch(uint32_t index, const Visit& visit) const;

 private:
  bool ReadInstructions();
  bool ReadHandlers(ByteReader& reader);
  bool BranchesAreSound() const;

  uint16_t max_stack_ = 0;
  uint16_t max_locals_ = 0;
  Bytes bytes_;
  std::vector<Instruction> instructions_;
  std::vector<uint32_t> index_of_;  // indexed by bci
  std::vector<Handler> handlers_;
  std::vector<Attribute> attributes_;
};

// Returns the number of bytes between the opcode of a switch at `bci` and its operands.
constexpr uint32_t SwitchPadding(uint32_t bci) { return 3 - bci % 4; }

// Returns the signed big-endian integer of 2 or 4 bytes at `at`. REQUIRES: at + width <=
// bytes.size().
inline int32_t SignedAt(Bytes bytes, size_t at, size_t width) {
  uint32_t value = 0;
  for (size_t i = 0; i < width; ++i) value = value << 8 | bytes[at + i];
  return width == 2 ? static_cast<int16_t>(value) : static_cast<int32_t>(value);
}

template <typename Visit>
void Code::ForEachBranch(uint32_t index, const Visit& visit) const {
  const Instruction& instruction = instructions_[index];
  const OperandLayout layout = kOpcodeShapes[instruction.opcode].layout;
  const Bytes bytes = BytesOf(index);
  const auto visit_at = [&](size_t at, size_t width) {
    visit(at, width, int64_t{instruction.bci} + SignedAt(bytes, at, width));
  };
  if (layout == OperandLayout::kBranch) visit_at(1, 2);
  if (layout == OperandLayout::kWideBranch) visit_at(1, 4);
  if (layout != OperandLayout::kTableSwitch && layout != OperandLayout::kLookupSwitch) return;
  const size_t operands = 1 + SwitchPadding(instruction.bci);
  visit_at(operands, 4);  // default
  const bool is_table = layout == OperandLayout::kTableSwitch;
  const size_t first = operands + 12;  // default, low, high; or default, count, match
  for (size_t at = first; at < bytes.size(); at += is_table ? 4 : 8) visit_at(at, 4);
}

}  // namespace jprof::instrument
