#include "jfr/writer/jfr_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

constexpr uint8_t kNullString = 0;
constexpr uint8_t kEmptyString = 1;
constexpr uint8_t kUtf8String = 3;

size_t VarintLength(uint64_t value) {
  size_t length = 1;
  for (; value >= 0x80 && length < 9; value >>= 7) ++length;
  return length;
}

}  // namespace

JfrEncoder::JfrEncoder(size_t capacity)
    : data_(std::make_unique_for_overwrite<uint8_t[]>(capacity)), capacity_(capacity) {}

void JfrEncoder::Fixed16(uint16_t value) {
  Byte(static_cast<uint8_t>(value >> 8));
  Byte(static_cast<uint8_t>(value));
}

void JfrEncoder::Fixed64(uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) Byte(static_cast<uint8_t>(value >> shift));
}

void JfrEncoder::Float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  Fixed16(static_cast<uint16_t>(bits >> 16));
  Fixed16(static_cast<uint16_t>(bits));
}

void JfrEncoder::Double(double value) { Fixed64(std::bit_cast<uint64_t>(value)); }

void JfrEncoder::String(std::string_view utf8) {
  if (utf8.data() == nullptr) {
    Byte(kNullString);
  } else if (utf8.empty()) {
    Byte(kEmptyString);
  } else {
    Utf8(utf8);
  }
}

void JfrEncoder::Utf8(std::string_view text) {
  Byte(kUtf8String);
  Varint(text.size());
  Bytes({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

void JfrEncoder::Bytes(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  Reserve(bytes.size());
  std::memcpy(&data_[size_], bytes.data(), bytes.size());
  size_ += bytes.size();
}

void JfrEncoder::ReserveSize() {
  Reserve(kPaddedSize);
  size_ += kPaddedSize;
}

void JfrEncoder::StorePadded(uint8_t* to, uint64_t value) {
  JPROF_CHECK(value >> (7 * kPaddedSize) == 0);
  for (size_t i = 0; i < kPaddedSize; ++i, value >>= 7) {
    const bool is_last = i == kPaddedSize - 1;
    to[i] = static_cast<uint8_t>(is_last ? value & 0x7F : value | 0x80);
  }
}

void JfrEncoder::WidenSize(size_t start) {
  const size_t body = size_ - start - 1;
  size_t length = VarintLength(body + 2);
  length = VarintLength(body + length);  // the size counts its own bytes
  Reserve(length - 1);
  std::memmove(&data_[start + length], &data_[start + 1], body);
  size_ = start;
  Varint(body + length);
  size_ = start + length + body;
}

void JfrEncoder::Grow(size_t bytes) {
  capacity_ = std::max(capacity_ * 2, size_ + bytes);
  auto larger = std::make_unique_for_overwrite<uint8_t[]>(capacity_);
  if (size_ > 0) std::memcpy(larger.get(), data_.get(), size_);
  data_ = std::move(larger);
}

}  // namespace jprof
