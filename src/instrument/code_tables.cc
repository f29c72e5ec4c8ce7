#include "instrument/code_tables.h"

#include "instrument/annotations.h"
#include "instrument/byte_writer.h"

namespace jprof::instrument {
namespace {

// Target types of type annotations in code (JVMS 4.7.20).
constexpr uint8_t kLocalVariable = 0x40;
constexpr uint8_t kResourceVariable = 0x41;
constexpr uint8_t kExceptionParameter = 0x42;
constexpr uint8_t kInstanceof = 0x43;
constexpr uint8_t kMethodReference = 0x46;
constexpr uint8_t kCast = 0x47;
constexpr uint8_t kMethodReferenceArgument = 0x4B;

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

  // At an instruction itself: exactly where it is.
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
      reader_.U2();  // index of a handler: those of the method keep theirs
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
