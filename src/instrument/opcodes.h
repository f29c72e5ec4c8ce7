// Opcodes: what the instructions of the JVM look like and do to the operand stack (opcodes.def).
#pragma once

#include <cstddef>
#include <cstdint>

namespace jprof::instrument {

// Where the operands of an instruction are, and how many.
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
  kLookupSwitch,  // likewise
  kWide,          // another instruction, of kLocal or kIncrement
};

inline constexpr int8_t kVaries = -1;

struct OpcodeShape {
  OperandLayout layout;
  int8_t pops;
  int8_t pushes;
};

// By name as in the specification, with a prefix that keeps them apart from words of C++.
enum Opcode : uint8_t {
#define OPCODE(name, layout, pops, pushes) kOp_##name,
#include "instrument/opcodes.def"
#undef OPCODE
};

// By opcode. What is not below kOpcodes is no instruction of a class file.
inline constexpr OpcodeShape kOpcodeShapes[] = {
#define OPCODE(name, layout, pops, pushes) {OperandLayout::layout, pops, pushes},
#include "instrument/opcodes.def"
#undef OPCODE
};
inline constexpr size_t kOpcodes = sizeof(kOpcodeShapes) / sizeof(kOpcodeShapes[0]);
static_assert(kOpcodes == 202 && kOp_jsr_w == 201);

constexpr bool IsReturn(uint8_t opcode) { return opcode >= kOp_ireturn && opcode <= kOp_return; }

// Whether the next instruction is never executed after this one. jsr is: its subroutine may return.
constexpr bool NeverFallsThrough(uint8_t opcode) {
  return IsReturn(opcode) || opcode == kOp_athrow || opcode == kOp_goto || opcode == kOp_goto_w ||
         opcode == kOp_ret || opcode == kOp_tableswitch || opcode == kOp_lookupswitch;
}

}  // namespace jprof::instrument
