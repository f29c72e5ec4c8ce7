#include "instrument/method_weaver.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "instrument/bytes.h"
#include "instrument/class_file.h"
#include "instrument/code.h"
#include "instrument/code_layout.h"
#include "instrument/probe_places.h"
#include "instrument/stack_map_writer.h"

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
      reader_.U2();  // index of a handler: the method's own handlers keep theirs
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

// Corrects the content of the attribute `name` in place if it is a table of line numbers, local
// variables or type annotations; other attributes stay unchanged. Stack maps are written elsewhere
// (stack_map_writer.h). Returns false if the content is malformed.
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

constexpr uint32_t kMaxU2 = 65535;
constexpr std::string_view kStackMapTable = "StackMapTable";

struct Range {
  uint32_t start = 0;
  uint32_t end = 0;
};

class MethodWeaver {
 public:
  MethodWeaver(ProbedClass& probed, const Method& method, const Code& code,
               const ProbePlaces& places, const ProbeCalls& calls)
      : probed_(probed),
        method_(method),
        code_(code),
        places_(places),
        calls_(calls),
        layout_(code, places, calls.entry.size(), calls.exit.size()),
        covered_(CoveredRanges()) {}

  Result<std::vector<uint8_t>, NotProbed> Run() {
    const size_t length = layout_.length() + (covered_.empty() ? 0 : calls_.handler.size());
    const uint32_t max_stack =
        std::max(code_.max_stack() + ProbeCalls::kStackOnTop + calls_.load_slots,
                 covered_.empty() ? 0 : ProbeCalls::kHandlerStack);
    if (length > kMaxCodeLength) return NotProbed::kCodeTooLong;
    if (max_stack > kMaxU2) return NotProbed::kStackTooDeep;
    if (code_.handlers().size() + covered_.size() > kMaxU2) return NotProbed::kTooManyHandlers;

    out_.Reserve(code_.bytes().size() * 2);
    out_.U2(max_stack);
    out_.U2(uint32_t{code_.max_locals()} + 2);
    out_.U4(static_cast<uint32_t>(length));
    WriteCode();
    WriteHandlers();
    WriteAttributes();
    if (failure_) return *failure_;
    return out_.Release();
  }

 private:
  // Returns the code that the probes' handler covers: all that the method does after its entry
  // probe, without the probes and the return instructions, for which the exit probe has been
  // called.
  std::vector<Range> CoveredRanges() const {
    std::vector<Range> ranges;
    if (calls_.handler.empty()) return ranges;
    for (uint32_t index = 0; index < code_.instructions().size(); ++index) {
      if (!places_.Entered(index) || places_.HasExit(code_, index)) continue;
      const uint32_t start = layout_.StartOf(index);
      if (ranges.empty() || ranges.back().end != start) ranges.push_back({start, start});
      ranges.back().end = layout_.EndOf(index);
    }
    return ranges;
  }

  void WriteCode() {
    if (places_.entry_at_start()) out_.Append(calls_.entry);
    auto next_call = places_.super_calls.begin();
    for (uint32_t index = 0; index < code_.instructions().size() && !failure_; ++index) {
      if (places_.HasExit(code_, index)) out_.Append(calls_.exit);
      WriteInstruction(index);
      if (next_call != places_.super_calls.end() && *next_call == index) {
        out_.Append(calls_.entry);
        ++next_call;
      }
    }
    if (!covered_.empty()) out_.Append(calls_.handler);
  }

  void WriteInstruction(uint32_t index) {
    const Bytes bytes = code_.BytesOf(index);
    const OperandLayout layout = kOpcodeShapes[bytes[0]].layout;
    const uint32_t position = layout_.PositionOf(index);
    size_t copied = 0;
    if (layout == OperandLayout::kTableSwitch || layout == OperandLayout::kLookupSwitch) {
      out_.U1(bytes[0]);
      for (uint32_t left = SwitchPadding(position); left > 0; --left) out_.U1(0);
      copied = 1 + SwitchPadding(code_.instructions()[index].bci);
    }
    code_.ForEachBranch(index, [&](size_t at, size_t width, int64_t target) {
      out_.Append(bytes.subspan(copied, at - copied));
      copied = at + width;
      const int64_t offset =
          int64_t{layout_.StartAt(static_cast<uint32_t>(target))} - int64_t{position};
      if (width == 2) {
        const bool fits = offset >= std::numeric_limits<int16_t>::min() &&
                          offset <= std::numeric_limits<int16_t>::max();
        if (!fits) failure_ = NotProbed::kBranchTooLong;
        out_.U2(static_cast<uint32_t>(offset));
      } else {
        out_.U4(static_cast<uint32_t>(offset));
      }
    });
    out_.Append(bytes.subspan(copied));
  }

  // Writes the probes' handlers last, so that the method's own handlers take precedence.
  void WriteHandlers() {
    out_.U2(static_cast<uint32_t>(code_.handlers().size() + covered_.size()));
    for (const Handler& handler : code_.handlers()) {
      out_.U2(layout_.StartAt(handler.start));
      out_.U2(layout_.RangeEndAt(handler.end));
      out_.U2(layout_.StartAt(handler.handler));
      out_.U2(handler.catch_type);
    }
    for (const Range& range : covered_) {
      out_.U2(range.start);
      out_.U2(range.end);
      out_.U2(layout_.length());
      out_.U2(0);  // any exception
    }
  }

  void WriteAttributes() {
    if (failure_) return;
    const size_t count_at = out_.size();
    out_.U2(0);
    uint32_t count = 0;
    std::optional<Bytes> stack_map;
    const bool has_stack_maps = probed_.file.major_version >= kFirstWithStackMaps;
    for (const Attribute& attribute : code_.attributes()) {
      if (has_stack_maps && attribute.name == kStackMapTable) {
        if (stack_map) return Fail(NotProbed::kMalformed);
        stack_map = attribute.content;
        continue;
      }
      std::vector<uint8_t> content(attribute.content.begin(), attribute.content.end());
      if (!MoveCodeTable(attribute.name, content, code_, layout_)) {
        return Fail(NotProbed::kMalformed);
      }
      out_.Append(attribute.whole.first(6));
      out_.Append(content);
      ++count;
    }
    if (has_stack_maps && WriteStackMapTable(stack_map.value_or(Bytes()))) ++count;
    out_.SetU2(count_at, count);
  }

  // Returns whether the method has a stack map, which is then written.
  bool WriteStackMapTable(Bytes content) {
    const auto handler = covered_.empty() ? std::nullopt : std::optional(layout_.length());
    const auto stack_map =
        WriteStackMap(probed_.file, {method_, code_, places_, layout_, content, code_.max_locals(),
                                     handler, probed_.stack_map_bytes});
    if (!stack_map) {
      Fail(stack_map.error());
      return false;
    }
    if (stack_map.value().empty()) return false;
    const uint16_t name = probed_.file.pool.AddUtf8(kStackMapTable);
    if (name == 0) Fail(NotProbed::kPoolFull);
    out_.U2(name);
    out_.U4(static_cast<uint32_t>(stack_map.value().size()));
    out_.Append(stack_map.value());
    probed_.stack_map_bytes -= std::min(probed_.stack_map_bytes, stack_map.value().size());
    return true;
  }

  void Fail(NotProbed reason) {
    if (!failure_) failure_ = reason;
  }

  ProbedClass& probed_;
  const Method& method_;
  const Code& code_;
  const ProbePlaces& places_;
  const ProbeCalls& calls_;
  const CodeLayout layout_;
  const std::vector<Range> covered_;
  ByteWriter out_;
  std::optional<NotProbed> failure_;
};

// True if finalize() only returns: the VM does not register the objects of such a class for
// finalization (Method::is_empty_method in src/hotspot/share/oops/method.cpp, jdk-25).
bool IsEmptyFinalizer(const Method& method, const Code& code) {
  return method.name == "finalize" && method.descriptor == "()V" && code.bytes().size() == 1;
}

}  // namespace

Result<std::vector<uint8_t>, NotProbed> WeaveProbes(ProbedClass& probed, const Method& method,
                                                    Bytes code_attribute, uint32_t id) {
  ClassFile& file = probed.file;
  const auto code = Code::Parse(code_attribute, file.pool);
  if (!code) return NotProbed::kMalformed;
  if (IsEmptyFinalizer(method, *code)) return NotProbed::kEmptyFinalizer;
  if (uint32_t{code->max_locals()} + 2 > kMaxU2) return NotProbed::kTooManyLocals;
  const auto places = FindProbePlaces(file, method, *code);
  if (!places) return places.error();
  TargetMethods target = probed.target;
  ParameterLoads loads;
  if (const ProbeTarget* to = probed.parameters_to) {
    const auto descriptor = MethodDescriptor::Parse(method.descriptor);
    if (!descriptor) return NotProbed::kMalformed;
    loads = ParameterLoads(*descriptor);
    target.entry = file.pool.AddMethod(to->class_name, to->entry.name, '(' + loads.types + "I)J");
    if (target.entry == 0) return NotProbed::kPoolFull;
  } else if (probed.passes_this) {
    loads = ParameterLoads::This();
  }
  const ProbeCalls calls = ProbeCalls::Make(target, loads, id, code->max_locals());
  return MethodWeaver(probed, method, *code, places.value(), calls).Run();
}

}  // namespace jprof::instrument
