#include "instrument/code.h"

namespace jprof::instrument {
namespace {

// Returns the size of the operands of a switch in bytes, without padding; nullopt if they are
// malformed.
std::optional<size_t> SwitchSize(ByteReader reader, bool is_table) {
  reader.U4();  // default
  const auto first = static_cast<int32_t>(reader.U4());
  if (!is_table) {
    if (reader.failed() || first < 0) return std::nullopt;
    return 8 + size_t{8} * static_cast<size_t>(first);
  }
  const auto last = static_cast<int32_t>(reader.U4());
  if (reader.failed() || last < first) return std::nullopt;
  return 12 + size_t{4} * static_cast<size_t>(int64_t{last} - first + 1);
}

// Skips the operands of the instruction; the reader fails if they are malformed.
void SkipOperands(ByteReader& reader, const Instruction& instruction) {
  const OperandLayout layout = kOpcodeShapes[instruction.opcode].layout;
  switch (layout) {
    case OperandLayout::kPlain:
      return;
    case OperandLayout::kByte:
    case OperandLayout::kLocal:
      reader.Take(1);
      return;
    case OperandLayout::kShort:
    case OperandLayout::kIncrement:
    case OperandLayout::kBranch:
      reader.Take(2);
      return;
    case OperandLayout::kThreeBytes:
      reader.Take(3);
      return;
    case OperandLayout::kWideBranch:
    case OperandLayout::kFourBytes:
      reader.Take(4);
      return;
    case OperandLayout::kTableSwitch:
    case OperandLayout::kLookupSwitch: {
      reader.Take(SwitchPadding(instruction.bci));
      const auto size = SwitchSize(reader, layout == OperandLayout::kTableSwitch);
      if (!size) return reader.Fail();
      reader.Take(*size);
      return;
    }
    case OperandLayout::kWide: {
      const uint8_t widened = reader.U1();
      if (widened >= kOpcodes) return reader.Fail();
      const OperandLayout of_widened = kOpcodeShapes[widened].layout;
      if (of_widened == OperandLayout::kLocal) {
        reader.Take(2);
      } else if (of_widened == OperandLayout::kIncrement) {
        reader.Take(4);
      } else {
        reader.Fail();
      }
    }
  }
}

}  // namespace

std::optional<Code> Code::Parse(Bytes attribute, const ConstantPool& pool) {
  Code code;
  ByteReader reader(attribute);
  code.max_stack_ = reader.U2();
  code.max_locals_ = reader.U2();
  const uint32_t length = reader.U4();
  code.bytes_ = reader.Take(length);
  if (reader.failed() || length == 0 || length > kMaxCodeLength) return std::nullopt;
  if (!code.ReadInstructions() || !code.BranchesAreSound()) return std::nullopt;
  if (!code.ReadHandlers(reader)) return std::nullopt;
  const uint16_t attributes = reader.U2();
  code.attributes_ = ReadAttributes(reader, attributes, pool);
  if (!reader.AtEnd()) return std::nullopt;
  return code;
}

bool Code::ReadInstructions() {
  index_of_.assign(bytes_.size(), kNone);
  instructions_.reserve(bytes_.size() / 2);
  ByteReader reader(bytes_);
  while (!reader.AtEnd()) {
    Instruction instruction;
    instruction.bci = static_cast<uint16_t>(reader.position());
    instruction.opcode = reader.U1();
    if (instruction.opcode >= kOpcodes) return false;
    SkipOperands(reader, instruction);
    if (reader.failed()) return false;
    index_of_[instruction.bci] = static_cast<uint32_t>(instructions_.size());
    instructions_.push_back(instruction);
  }
  return true;
}

bool Code::BranchesAreSound() const {
  bool sound = true;
  for (uint32_t index = 0; index < instructions_.size(); ++index) {
    ForEachBranch(index, [&](size_t, size_t, int64_t target) {
      if (target < 0 || target > kMaxCodeLength ||
          IndexAt(static_cast<uint32_t>(target)) == kNone) {
        sound = false;
      }
    });
  }
  return sound;
}

bool Code::ReadHandlers(ByteReader& reader) {
  const uint16_t count = reader.U2();
  for (uint16_t i = 0; i < count && !reader.failed(); ++i) {
    Handler handler;
    handler.start = reader.U2();
    handler.end = reader.U2();
    handler.handler = reader.U2();
    handler.catch_type = reader.U2();
    const bool ends_well = handler.end == bytes_.size() || IndexAt(handler.end) != kNone;
    if (handler.start >= handler.end || !ends_well || IndexAt(handler.start) == kNone ||
        IndexAt(handler.handler) == kNone) {
      return false;
    }
    handlers_.push_back(handler);
  }
  return !reader.failed();
}

Bytes Code::BytesOf(uint32_t index) const {
  const size_t begin = instructions_[index].bci;
  const size_t end =
      index + 1 < instructions_.size() ? instructions_[index + 1].bci : bytes_.size();
  return bytes_.subspan(begin, end - begin);
}

}  // namespace jprof::instrument
