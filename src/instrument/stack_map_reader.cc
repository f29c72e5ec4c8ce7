#include "instrument/stack_map_reader.h"

#include <utility>

#include "instrument/descriptor.h"

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

}  // namespace jprof::instrument
