#include "instrument/method_weaver.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "instrument/bytes.h"
#include "instrument/class_file.h"
#include "instrument/code.h"
#include "instrument/code_layout.h"
#include "instrument/probe_places.h"
#include "instrument/stack_map.h"

namespace jprof::instrument {
namespace {

constexpr uint32_t kMaxShort = 32767;
constexpr uint32_t kMaxNarrowLocal = 255;

// Returns code that pushes the id. The code uses no constant of the pool. The ids differ in each
// recording, and HotSpot keeps the constants of all versions of a class, so constants for the ids
// would make the pool grow with each recording (jdk-25+36
// src/hotspot/share/prims/jvmtiRedefineClasses.cpp, merge_cp_and_rewrite).
std::vector<uint8_t> PushId(uint32_t id) {
  ByteWriter code;
  const auto low = static_cast<int16_t>(id);
  if (id > kMaxShort) {
    constexpr uint32_t kShift = 16;
    code.U1(kOp_sipush);
    code.U2((id - static_cast<uint32_t>(low)) >> kShift);
    code.U1(kOp_bipush);
    code.U1(kShift);
    code.U1(kOp_ishl);
  }
  code.U1(kOp_sipush);
  code.U2(static_cast<uint16_t>(low));
  if (id > kMaxShort) code.U1(kOp_iadd);
  return code.Release();
}

void AccessLocal(ByteWriter& code, Opcode opcode, uint32_t local) {
  if (local <= kMaxNarrowLocal) {
    code.U1(opcode);
    code.U1(local);
  } else {
    code.U1(kOp_wide);
    code.U1(opcode);
    code.U2(local);
  }
}

Opcode LoadOf(std::string_view type) {
  switch (type.front()) {
    case 'J':
      return kOp_lload;
    case 'F':
      return kOp_fload;
    case 'D':
      return kOp_dload;
    case 'L':
    case '[':
      return kOp_aload;
    default:
      return kOp_iload;
  }
}

void InvokeStatic(ByteWriter& code, uint16_t method) {
  code.U1(kOp_invokestatic);
  code.U2(method);
}

// Code that pushes the parameters of a static method, or `this`.
struct ParameterLoads {
  explicit ParameterLoads(const MethodDescriptor& descriptor);
  ParameterLoads() = default;  // loads nothing
  static ParameterLoads This();

  std::vector<uint8_t> code;
  uint32_t slots = 0;  // slots of the operand stack that the code pushes
  std::string types;   // descriptors of the parameters
};

// The probes of one method.
struct ProbeCalls {
  // kStackOnTop is the number of slots that an entry or exit probe needs on top of the operand
  // stack, without the slots for ParameterLoads. kHandlerStack is the number of slots that the
  // handler needs in all.
  static constexpr uint32_t kStackOnTop = 3;
  static constexpr uint32_t kHandlerStack = 5;

  std::vector<uint8_t> entry;
  std::vector<uint8_t> exit;     // empty without an exit probe
  std::vector<uint8_t> handler;  // empty without an exception probe
  uint32_t load_slots = 0;       // ParameterLoads::slots

  // `token` is the first of the two local variables that hold the token.
  static ProbeCalls Make(const TargetMethods& methods, const ParameterLoads& loads, uint32_t id,
                         uint32_t token);
};

ParameterLoads::ParameterLoads(const MethodDescriptor& descriptor) {
  ByteWriter pushes;
  for (const std::string_view type : descriptor.parameters) {
    AccessLocal(pushes, LoadOf(type), slots);
    slots += SlotsOf(type);
    types += type;
  }
  code = pushes.Release();
}

ParameterLoads ParameterLoads::This() {
  ParameterLoads loads;
  ByteWriter push;
  AccessLocal(push, kOp_aload, 0);
  loads.code = push.Release();
  loads.slots = 1;
  return loads;
}

ProbeCalls ProbeCalls::Make(const TargetMethods& methods, const ParameterLoads& loads, uint32_t id,
                            uint32_t token) {
  const std::vector<uint8_t> push_id = PushId(id);

  ByteWriter entry;
  entry.Append(loads.code);
  entry.Append(push_id);
  InvokeStatic(entry, methods.entry);
  AccessLocal(entry, kOp_lstore, token);

  const auto end = [&](ByteWriter& code, uint16_t method) {
    code.Append(push_id);
    AccessLocal(code, kOp_lload, token);
    InvokeStatic(code, method);
  };
  ByteWriter exit;
  if (methods.exit != 0) end(exit, methods.exit);

  ByteWriter handler;
  if (methods.exception != 0) {
    handler.U1(kOp_dup);
    end(handler, methods.exception);
    handler.U1(kOp_athrow);
  }
  return {entry.Release(), exit.Release(), handler.Release(), loads.slots};
}

constexpr uint32_t kMaxU2 = 65535;
constexpr std::string_view kStackMapTable = "StackMapTable";

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

  Result<WovenCode, NotProbed> Run() {
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
    return WovenCode{out_.Release(), ProbeCode()};
  }

 private:
  // Returns the ranges of code that the probes' handler covers: all instructions after the entry
  // probe, except the probes themselves and the return instructions. When a return instruction
  // runs, its exit probe has already run.
  std::vector<CodeRange> CoveredRanges() const {
    std::vector<CodeRange> ranges;
    if (calls_.handler.empty()) return ranges;
    for (uint32_t index = 0; index < code_.instructions().size(); ++index) {
      if (!places_.Entered(index) || places_.HasExit(code_, index)) continue;
      const uint32_t start = layout_.StartOf(index);
      if (ranges.empty() || ranges.back().end != start) ranges.push_back({start, start});
      ranges.back().end = layout_.EndOf(index);
    }
    return ranges;
  }

  std::vector<CodeRange> ProbeCode() const {
    std::vector<CodeRange> ranges;
    const auto entry_size = static_cast<uint32_t>(calls_.entry.size());
    if (places_.entry_at_start()) ranges.push_back({0, entry_size});
    for (const uint32_t call : places_.super_calls) {
      // Before the entry probe of a constructor, the method is not entered.
      ranges.push_back({0, layout_.EndOf(call) + entry_size});
    }
    for (uint32_t index = 0; index < code_.instructions().size(); ++index) {
      if (!places_.HasExit(code_, index)) continue;
      ranges.push_back({layout_.StartOf(index), layout_.EndOf(index)});
    }
    if (!covered_.empty()) {
      const auto handler_size = static_cast<uint32_t>(calls_.handler.size());
      ranges.push_back({layout_.length(), layout_.length() + handler_size});
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

  // Writes the handler of the probes after the method's own handlers, so that the method's own
  // handlers take precedence.
  void WriteHandlers() {
    out_.U2(static_cast<uint32_t>(code_.handlers().size() + covered_.size()));
    for (const Handler& handler : code_.handlers()) {
      out_.U2(layout_.StartAt(handler.start));
      out_.U2(layout_.RangeEndAt(handler.end));
      out_.U2(layout_.StartAt(handler.handler));
      out_.U2(handler.catch_type);
    }
    for (const CodeRange& range : covered_) {
      out_.U2(range.begin);
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

  // Writes the attribute StackMapTable. Returns false if the method needs none, or on failure.
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
  const std::vector<CodeRange> covered_;
  ByteWriter out_;
  std::optional<NotProbed> failure_;
};

// True if the method is a finalize() that only returns. The VM does not register objects of a class
// with such a method for finalization (Method::is_empty_method in
// src/hotspot/share/oops/method.cpp, jdk-25).
bool IsEmptyFinalizer(const Method& method, const Code& code) {
  return method.name == "finalize" && method.descriptor == "()V" && code.bytes().size() == 1;
}

}  // namespace

std::optional<TargetMethods> TargetMethods::Add(const ProbeTarget& target, ConstantPool& pool) {
  bool is_full = false;
  const auto add = [&](const NameAndType& method) -> uint16_t {
    if (method.name.empty()) return 0;
    const uint16_t index = pool.AddMethod(target.class_name, method.name, method.descriptor);
    is_full |= index == 0;
    return index;
  };
  const TargetMethods methods = {
      .entry = add(target.entry), .exit = add(target.exit), .exception = add(target.exception)};
  if (is_full) return std::nullopt;
  return methods;
}

Result<WovenCode, NotProbed> WeaveProbes(ProbedClass& probed, const Method& method,
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
