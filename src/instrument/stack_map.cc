#include "instrument/stack_map.h"

#include <utility>

#include "instrument/bytes.h"
#include "instrument/class_file.h"
#include "instrument/code.h"
#include "instrument/code_layout.h"
#include "instrument/probe_places.h"

namespace jprof::instrument {
namespace {

constexpr uint16_t kStatic = 0x0008;

constexpr uint8_t kLastSameWithStack = 127;
constexpr uint8_t kFirstChop = 248;
constexpr uint8_t kLastAppend = 254;

VerificationType TypeOf(std::string_view descriptor) {
  switch (descriptor.front()) {
    case 'J':
      return {TypeTag::kLong, 0, {}};
    case 'D':
      return {TypeTag::kDouble, 0, {}};
    case 'F':
      return {TypeTag::kFloat, 0, {}};
    case '[':
      return {TypeTag::kObject, 0, descriptor};
    case 'L':
      return {TypeTag::kObject, 0, descriptor.substr(1, descriptor.size() - 2)};
    default:
      return {TypeTag::kInteger, 0, {}};
  }
}

constexpr uint8_t kFirstSameWithStack = kLastSame + 1;
constexpr uint8_t kFull = 255;
constexpr size_t kMaxAppend = 3;
constexpr uint32_t kMaxFrames = 65535;
constexpr uint8_t kNoFrames[] = {0, 0};

// Writes the frames of a stack map. Frames after the entry probe have one more local variable,
// above all others: the token of the entry probe. The unused variables below the token are written
// as padding.
//
// Short forms encode a frame by the difference of its locals from the previous frame. If neither
// frame has the token, or if the locals of both frames are equal, the frame keeps the form that it
// has in the class file. A frame that adds the token with little padding is written as an append.
// All other frames are written in full.
class Writer {
 public:
  Writer(ClassFile& file, const StackMapRequest& request) : file_(file), request_(request) {
    out_.U2(0);  // the count, set at the end
  }

  Result<std::vector<uint8_t>, NotProbed> Run() {
    auto initial = InitialLocals(request_.method, file_);
    if (!initial) return NotProbed::kMalformed;
    const Bytes content = request_.content.empty() ? Bytes(kNoFrames) : request_.content;
    StackMapReader frames(content, std::move(*initial));
    while (!failure_ && frames.Next()) Translate(frames);
    if (frames.failed()) return NotProbed::kMalformed;
    if (request_.handler && !failure_) WriteHandlerFrame();
    if (failure_) return *failure_;
    if (count_ == 0) return std::vector<uint8_t>();
    if (count_ > kMaxFrames) return NotProbed::kStackMapTooLarge;
    std::vector<uint8_t> bytes = out_.Release();
    SetU2(bytes, 0, count_);
    return bytes;
  }

 private:
  using Form = StackMapReader::Form;

  void Translate(const StackMapReader& frame) {
    const uint32_t index = request_.code.IndexAt(frame.bci());
    if (index == Code::kNone || frame.local_slots() > request_.token) {
      return Fail(NotProbed::kMalformed);
    }
    const uint32_t delta = Advance(request_.layout.StartOf(index));
    const bool has_token = request_.places.Entered(index);
    const uint32_t padding = request_.token - frame.local_slots();
    if (frame.form() == Form::kSame && has_token == previous_has_token_) {
      WriteSame(delta, frame.stack());
    } else if (frame.form() == Form::kSame && has_token && frame.stack().empty() &&
               padding < kMaxAppend) {
      out_.U1(kSameExtended + padding + 1);
      out_.U2(delta);
      WriteTokenAndPadding(padding);
    } else if (frame.form() != Form::kFull && !has_token && !previous_has_token_) {
      WriteDifference(delta, frame);
    } else {
      WriteFull(delta, frame.locals(), has_token ? std::optional(padding) : std::nullopt,
                frame.stack());
    }
    previous_has_token_ = has_token;
    if (out_.size() > request_.max_bytes) Fail(NotProbed::kStackMapTooLarge);
  }

  void WriteHandlerFrame() {
    const uint32_t delta = Advance(*request_.handler);
    VerificationType throwable{TypeTag::kObject, 0, "java/lang/Throwable"};
    WriteFull(delta, {}, request_.token, {throwable});
  }

  uint32_t Advance(uint32_t position) {
    const uint32_t delta = count_ == 0 ? position : position - previous_position_ - 1;
    previous_position_ = position;
    ++count_;
    return delta;
  }

  void WriteSame(uint32_t delta, const VerificationTypes& stack) {
    const bool is_short = delta <= kLastSame;
    if (stack.empty()) {
      out_.U1(is_short ? delta : kSameExtended);
    } else {
      out_.U1(is_short ? kFirstSameWithStack + delta : kSameWithStackExtended);
    }
    if (!is_short) out_.U2(delta);
    for (const VerificationType& type : stack) WriteType(type);
  }

  void WriteDifference(uint32_t delta, const StackMapReader& frame) {
    const size_t difference = frame.difference();
    const bool is_append = frame.form() == Form::kAppend;
    out_.U1(
        static_cast<uint32_t>(is_append ? kSameExtended + difference : kSameExtended - difference));
    out_.U2(delta);
    if (!is_append) return;
    const VerificationTypes& locals = frame.locals();
    for (size_t i = locals.size() - difference; i < locals.size(); ++i) WriteType(locals[i]);
  }

  // `padding` is the number of unused slots below the token; nullopt if the frame has no token.
  void WriteFull(uint32_t delta, const VerificationTypes& locals, std::optional<uint32_t> padding,
                 const VerificationTypes& stack) {
    out_.U1(kFull);
    out_.U2(delta);
    out_.U2(static_cast<uint32_t>(locals.size()) + (padding ? *padding + 1 : 0));
    for (const VerificationType& type : locals) WriteType(type);
    if (padding) WriteTokenAndPadding(*padding);
    out_.U2(static_cast<uint32_t>(stack.size()));
    for (const VerificationType& type : stack) WriteType(type);
  }

  void WriteTokenAndPadding(uint32_t padding) {
    for (uint32_t i = 0; i < padding; ++i) out_.U1(static_cast<uint32_t>(TypeTag::kTop));
    out_.U1(static_cast<uint32_t>(TypeTag::kLong));
  }

  void WriteType(const VerificationType& type) {
    out_.U1(static_cast<uint32_t>(type.tag));
    if (type.tag == TypeTag::kObject) {
      const uint16_t index =
          type.class_name.empty() ? type.operand : file_.pool.AddClass(type.class_name);
      if (index == 0) Fail(NotProbed::kPoolFull);
      out_.U2(index);
    } else if (type.tag == TypeTag::kUninitialized) {
      const uint32_t index = request_.code.IndexAt(type.operand);
      if (index == Code::kNone) return Fail(NotProbed::kMalformed);
      out_.U2(request_.layout.PositionOf(index));
    }
  }

  void Fail(NotProbed reason) {
    if (!failure_) failure_ = reason;
  }

  ClassFile& file_;
  const StackMapRequest& request_;
  ByteWriter out_;
  uint32_t count_ = 0;
  uint32_t previous_position_ = 0;
  bool previous_has_token_ = false;  // false at first: the initial frame is before the entry probe
  std::optional<NotProbed> failure_;
};

}  // namespace

uint32_t SlotsOf(const VerificationTypes& types) {
  uint32_t slots = 0;
  for (const VerificationType& type : types) slots += type.Slots();
  return slots;
}

std::optional<VerificationTypes> InitialLocals(const Method& method, const ClassFile& file) {
  const auto descriptor = MethodDescriptor::Parse(method.descriptor);
  if (!descriptor) return std::nullopt;
  VerificationTypes locals;
  if ((method.access_flags & kStatic) == 0) {
    const bool is_raw = method.name == "<init>" && file.has_superclass;
    locals.push_back(is_raw ? VerificationType{TypeTag::kUninitializedThis, 0, {}}
                            : VerificationType{TypeTag::kObject, file.this_class, {}});
  }
  for (const std::string_view parameter : descriptor->parameters) {
    locals.push_back(TypeOf(parameter));
  }
  return locals;
}

StackMapReader::StackMapReader(Bytes content, VerificationTypes initial)
    : reader_(content), locals_(std::move(initial)), local_slots_(SlotsOf(locals_)) {
  count_ = reader_.U2();
}

bool StackMapReader::Next() {
  if (frames_read_ == count_ || failed()) {
    if (!reader_.AtEnd()) reader_.Fail();
    return false;
  }
  const uint32_t previous = bci_;
  stack_.clear();
  difference_ = 0;
  ReadForm(reader_.U1());
  if (frames_read_++ != 0) bci_ += previous + 1;
  return !failed();
}

void StackMapReader::ReadForm(uint8_t type) {
  form_ = Form::kSame;
  if (type <= kLastSame) {
    bci_ = type;
  } else if (type <= kLastSameWithStack) {
    bci_ = type - kLastSame - 1;
    ReadTypes(1, stack_);
  } else if (type < kSameWithStackExtended) {
    reader_.Fail();  // reserved
  } else {
    bci_ = reader_.U2();
    if (type == kSameWithStackExtended) {
      ReadTypes(1, stack_);
    } else if (type < kSameExtended) {
      Chop(kSameExtended - type);
    } else if (type > kSameExtended && type <= kLastAppend) {
      Append(type - kSameExtended);
    } else if (type > kLastAppend) {
      form_ = Form::kFull;
      const uint16_t locals = reader_.U2();
      locals_.clear();
      ReadTypes(locals, locals_);
      const uint16_t stack = reader_.U2();
      ReadTypes(stack, stack_);
      local_slots_ = SlotsOf(locals_);
    }
  }
  static_assert(kFirstChop + 3 == kSameExtended);
}

void StackMapReader::Chop(size_t count) {
  form_ = Form::kChop;
  difference_ = count;
  if (count > locals_.size()) return reader_.Fail();
  for (size_t i = 0; i < count; ++i) {
    local_slots_ -= locals_.back().Slots();
    locals_.pop_back();
  }
}

void StackMapReader::Append(size_t count) {
  form_ = Form::kAppend;
  difference_ = count;
  for (size_t i = 0; i < count; ++i) {
    locals_.push_back(ReadType());
    local_slots_ += locals_.back().Slots();
  }
}

void StackMapReader::ReadTypes(uint16_t count, VerificationTypes& types) {
  for (uint16_t i = 0; i < count && !failed(); ++i) types.push_back(ReadType());
}

VerificationType StackMapReader::ReadType() {
  VerificationType type;
  const uint8_t tag = reader_.U1();
  if (tag > static_cast<uint8_t>(TypeTag::kUninitialized)) {
    reader_.Fail();
    return type;
  }
  type.tag = static_cast<TypeTag>(tag);
  if (type.tag == TypeTag::kObject || type.tag == TypeTag::kUninitialized) {
    type.operand = reader_.U2();
  }
  return type;
}

Result<std::vector<uint8_t>, NotProbed> WriteStackMap(ClassFile& file,
                                                      const StackMapRequest& request) {
  return Writer(file, request).Run();
}

}  // namespace jprof::instrument
