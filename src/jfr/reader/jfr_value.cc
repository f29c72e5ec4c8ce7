#include "jfr/reader/jfr_value.h"

#include <bit>
#include <limits>

#include "jfr/reader/jfr_string.h"

namespace jprof::profile {
namespace {

constexpr int kMaxHops = 8;  // the maximum number of references that are followed to a text

int64_t Times(int64_t value, int64_t factor) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(value, factor, &product)) return product;
  return value < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

}  // namespace

int64_t JfrValue::Long() const {
  if (chunk_ == nullptr || is_array_) return 0;
  ByteCursor cursor = at_;
  if (field_->in_pool) return static_cast<int64_t>(cursor.Long());
  switch (type().primitive) {
    case JfrPrimitive::kBoolean:
      return cursor.Byte();
    case JfrPrimitive::kByte:
      return static_cast<int8_t>(cursor.Byte());
    case JfrPrimitive::kChar:
      return cursor.Short();
    case JfrPrimitive::kShort:
      return static_cast<int16_t>(cursor.Short());
    case JfrPrimitive::kInt:
      return static_cast<int32_t>(cursor.Int());
    case JfrPrimitive::kLong:
      return static_cast<int64_t>(cursor.Long());
    case JfrPrimitive::kFloat:
    case JfrPrimitive::kDouble:
    case JfrPrimitive::kString:
    case JfrPrimitive::kNone:
      break;
  }
  return 0;
}

double JfrValue::Double() const {
  if (chunk_ == nullptr || is_array_ || field_->in_pool) return 0;
  ByteCursor cursor = at_;
  if (type().primitive == JfrPrimitive::kFloat) {
    return std::bit_cast<float>(static_cast<uint32_t>(cursor.BigEndian(4)));
  }
  if (type().primitive == JfrPrimitive::kDouble) return std::bit_cast<double>(cursor.BigEndian(8));
  return static_cast<double>(Long());
}

std::optional<uint64_t> JfrValue::Key() const {
  if (chunk_ == nullptr || is_array_ || !field_->in_pool) return std::nullopt;
  ByteCursor cursor = at_;
  return cursor.Long();
}

int64_t JfrValue::Nanos() const {
  const int64_t value = Long();
  if (chunk_ == nullptr) return 0;
  switch (field_->unit) {
    case JfrUnit::kTicks:
      return chunk_->header.EpochNanos(value);
    case JfrUnit::kTickDuration:
      return chunk_->header.NanosOfTicks(value);
    case JfrUnit::kMicros:
      return Times(value, 1'000);
    case JfrUnit::kMillis:
    case JfrUnit::kEpochMillis:
      return Times(value, 1'000'000);
    case JfrUnit::kSeconds:
      return Times(value, 1'000'000'000);
    case JfrUnit::kNone:
    case JfrUnit::kNanos:
    case JfrUnit::kBytes:
    case JfrUnit::kAddress:
    case JfrUnit::kPercentage:
      break;
  }
  return value;
}

std::string JfrValue::String() const {
  if (chunk_ == nullptr || is_array_) return {};
  if (!field_->in_pool) return StringIn(at_, type(), kMaxHops);
  const std::optional<ByteCursor> at = chunk_->constants.Find(field_->type, *Key());
  return at ? StringIn(*at, type(), kMaxHops) : std::string();
}

std::string JfrValue::WholeString() const {
  const bool is_text = chunk_ != nullptr && !is_array_ && !field_->in_pool &&
                       type().primitive == JfrPrimitive::kString;
  if (!is_text) return String();
  ByteCursor at = at_;
  const JfrString string = ReadJfrString(at, std::numeric_limits<uint64_t>::max());
  return string.pool_key ? String() : string.text.value_or("");
}

std::string JfrValue::StringIn(ByteCursor at, const RecordedType& of, int hops) const {
  if (hops == 0) return {};
  if (of.primitive == JfrPrimitive::kString) {
    const JfrString string = ReadJfrString(at);
    if (!string.pool_key) return string.text.value_or("");
    const uint32_t strings = chunk_->schema.IndexOf(of);
    const std::optional<ByteCursor> entry = chunk_->constants.Find(strings, *string.pool_key);
    return entry ? StringIn(*entry, of, hops - 1) : std::string();
  }
  if (of.fields.size() != 1 || of.fields[0].is_array) return {};
  const JfrField& only = of.fields[0];
  if (!only.in_pool) return StringIn(at, chunk_->schema.type(only.type), hops - 1);
  const std::optional<ByteCursor> entry = chunk_->constants.Find(only.type, at.Long());
  return entry ? StringIn(*entry, chunk_->schema.type(only.type), hops - 1) : std::string();
}

std::optional<ByteCursor> JfrValue::Struct() const {
  if (chunk_ == nullptr || is_array_ || type().primitive != JfrPrimitive::kNone) return {};
  if (field_->in_pool) return chunk_->constants.Find(field_->type, *Key());
  return at_;
}

JfrValue JfrValue::FieldOf(const JfrChunk& chunk, const RecordedType& type, ByteCursor at,
                           std::string_view name) {
  if (!type.is_readable) return {};
  for (const JfrField& field : type.fields) {
    if (at.failed()) break;
    if (field.name == name) return JfrValue(chunk, field, at);
    chunk.schema.SkipField(at, field);
  }
  return {};
}

JfrValue JfrValue::Field(std::string_view name) const {
  const std::optional<ByteCursor> at = Struct();
  return at ? FieldOf(*chunk_, type(), *at, name) : JfrValue();
}

uint64_t JfrValue::ElementCount() const {
  if (chunk_ == nullptr || !is_array_) return 0;
  ByteCursor cursor = at_;
  return cursor.Count();
}

JfrValue JfrValue::Element(uint64_t index) const {
  if (index >= ElementCount()) return {};
  ByteCursor cursor = at_;
  cursor.Count();
  JfrField one = *field_;
  one.is_array = false;
  for (uint64_t i = 0; i < index; ++i) chunk_->schema.SkipField(cursor, one);
  if (cursor.failed()) return {};
  JfrValue element(*chunk_, *field_, cursor);
  element.is_array_ = false;
  return element;
}

JfrValue JfrConstant::Field(std::string_view name) const {
  if (!at_) return {};
  return JfrValue::FieldOf(chunk_, chunk_.schema.type(type_), *at_, name);
}

std::string JfrConstant::String() const {
  if (!at_) return {};
  JfrField self;
  self.type = type_;
  return JfrValue(chunk_, self, *at_).String();
}

JfrValue JfrEvent::Field(std::string_view name) const {
  return JfrValue::FieldOf(*chunk_, *type_, fields_, name);
}

}  // namespace jprof::profile
