#include "instrument/code_layout.h"

#include <algorithm>

#include "instrument/bytes.h"
#include "instrument/class_file.h"

namespace jprof::instrument {
namespace {

bool IsSwitch(uint8_t opcode) { return opcode == kOp_tableswitch || opcode == kOp_lookupswitch; }

// Target types of type annotations in code (JVMS 4.7.20).
constexpr uint8_t kLocalVariable = 0x40;
constexpr uint8_t kResourceVariable = 0x41;
constexpr uint8_t kExceptionParameter = 0x42;
constexpr uint8_t kInstanceof = 0x43;
constexpr uint8_t kMethodReference = 0x46;
constexpr uint8_t kCast = 0x47;
constexpr uint8_t kMethodReferenceArgument = 0x4B;

// Corrects the positions in a table of a Code attribute after the code has moved.
class TableMover {
 public:
  TableMover(std::span<uint8_t> content, const Code& code, const CodeLayout& layout)
      : content_(content), reader_(content), code_(code), layout_(layout) {}

  bool MoveLines() {
    for (uint16_t left = reader_.U2(); left > 0 && !reader_.failed(); --left) {
      MovePosition();
      reader_.U2();  // line
    }
    return reader_.AtEnd();
  }

  bool MoveVariables() {
    for (uint16_t left = reader_.U2(); left > 0 && !reader_.failed(); --left) {
      MoveRange();
      reader_.Take(6);  // name, type, index
    }
    return reader_.AtEnd();
  }

  bool MoveTypeAnnotations() {
    for (uint16_t left = reader_.U2(); left > 0 && !reader_.failed(); --left) {
      MoveAnnotationTarget();
      reader_.Take(size_t{2} * reader_.U1());  // path
      SkipAnnotation(reader_);
    }
    return reader_.AtEnd();
  }

 private:
  void MovePosition() {
    const size_t at = reader_.position();
    const uint32_t bci = reader_.U2();
    if (reader_.failed() || bci >= code_.bytes().size()) return reader_.Fail();
    SetU2(content_, at, layout_.DebugPositionAt(bci));
  }

  void MoveRange() {
    const size_t at = reader_.position();
    const uint32_t start = reader_.U2();
    const uint32_t end = start + reader_.U2();
    if (reader_.failed() || start >= code_.bytes().size() || end > code_.bytes().size()) {
      return reader_.Fail();
    }
    const uint32_t new_start = layout_.DebugPositionAt(start);
    SetU2(content_, at, new_start);
    SetU2(content_, at + 2, start == end ? 0 : layout_.DebugPositionAt(end) - new_start);
  }

  // Moves a bci that names an instruction to the exact position of that instruction.
  void MoveInstruction() {
    const size_t at = reader_.position();
    const uint32_t index = code_.IndexAt(reader_.U2());
    if (index == Code::kNone || reader_.failed()) return reader_.Fail();
    SetU2(content_, at, layout_.PositionOf(index));
  }

  void MoveAnnotationTarget() {
    const uint8_t target = reader_.U1();
    if (target == kLocalVariable || target == kResourceVariable) {
      for (uint16_t left = reader_.U2(); left > 0 && !reader_.failed(); --left) {
        MoveRange();
        reader_.U2();  // index
      }
    } else if (target == kExceptionParameter) {
      reader_.U2();  // index of a handler; the indexes of the method's own handlers do not change
    } else if (target >= kInstanceof && target <= kMethodReference) {
      MoveInstruction();
    } else if (target >= kCast && target <= kMethodReferenceArgument) {
      MoveInstruction();
      reader_.U1();  // index of the type argument
    } else {
      reader_.Fail();
    }
  }

  std::span<uint8_t> content_;
  ByteReader reader_;
  const Code& code_;
  const CodeLayout& layout_;
};

}  // namespace

CodeLayout::CodeLayout(const Code& code, const ProbePlaces& places, size_t entry_size,
                       size_t exit_size)
    : code_(code) {
  const size_t count = code.instructions().size();
  start_of_.reserve(count);
  position_of_.reserve(count);
  end_of_.reserve(count);
  auto next_call = places.super_calls.begin();
  size_t at = places.entry_at_start() ? entry_size : 0;
  for (uint32_t index = 0; index < count; ++index) {
    const Instruction& instruction = code.instructions()[index];
    start_of_.push_back(static_cast<uint32_t>(at));
    if (places.HasExit(code, index)) at += exit_size;
    position_of_.push_back(static_cast<uint32_t>(at));
    at += code.BytesOf(index).size();
    if (IsSwitch(instruction.opcode)) {
      at += SwitchPadding(position_of_.back());
      at -= SwitchPadding(instruction.bci);
    }
    end_of_.push_back(static_cast<uint32_t>(at));
    if (next_call != places.super_calls.end() && *next_call == index) {
      at += entry_size;
      ++next_call;
    }
  }
}

uint32_t CodeLayout::IndexAround(uint32_t bci) const {
  const auto& instructions = code_.instructions();
  const auto after = std::upper_bound(
      instructions.begin(), instructions.end(), bci,
      [](uint32_t at, const Instruction& instruction) { return at < instruction.bci; });
  return static_cast<uint32_t>(after - instructions.begin()) - 1;
}

uint32_t CodeLayout::RangeEndAt(uint32_t bci) const { return end_of_[IndexAround(bci - 1)]; }

uint32_t CodeLayout::DebugPositionAt(uint32_t bci) const {
  if (bci == 0) return 0;
  if (bci >= code_.bytes().size()) return length();
  const uint32_t index = IndexAround(bci);
  const uint32_t within = bci - code_.instructions()[index].bci;
  if (within == 0) return start_of_[index];
  return std::min(position_of_[index] + within, end_of_[index] - 1);
}

bool MoveCodeTable(std::string_view name, std::span<uint8_t> content, const Code& code,
                   const CodeLayout& layout) {
  TableMover mover(content, code, layout);
  if (name == "LineNumberTable") return mover.MoveLines();
  if (name == "LocalVariableTable" || name == "LocalVariableTypeTable") {
    return mover.MoveVariables();
  }
  if (name == "RuntimeVisibleTypeAnnotations" || name == "RuntimeInvisibleTypeAnnotations") {
    return mover.MoveTypeAnnotations();
  }
  return true;
}

}  // namespace jprof::instrument
