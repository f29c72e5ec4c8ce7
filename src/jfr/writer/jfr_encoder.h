// JfrEncoder: a growing byte buffer that writes the encodings of JFR files (major version 2).
//
// Not thread-safe. Does no I/O, and allocates only when its capacity is exceeded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace jprof {

class JfrEncoder {
 public:
  explicit JfrEncoder(size_t capacity = 256);
  JfrEncoder(JfrEncoder&&) noexcept = default;
  JfrEncoder& operator=(JfrEncoder&&) noexcept = default;

  void Byte(uint8_t value) {
    Reserve(1);
    data_[size_++] = value;
  }

  // Appends a varint: 7 bits per byte, lowest first; a 9th byte holds 8 bits. Negative numbers are
  // two's complements in the width of their type: -1 takes 5 bytes as an int, and 9 as a long.
  void Varint(uint64_t value) {
    Reserve(kMaxVarint);
    int length = 1;
    while (value >= 0x80 && length < kMaxVarint) {
      data_[size_++] = static_cast<uint8_t>(value | 0x80);
      value >>= 7;
      ++length;
    }
    data_[size_++] = static_cast<uint8_t>(value);
  }
  void Int(int32_t value) { Varint(static_cast<uint32_t>(value)); }
  void Long(int64_t value) { Varint(static_cast<uint64_t>(value)); }

  // Fixed16, Fixed64, Float and Double append big-endian numbers of fixed width.
  void Fixed16(uint16_t value);
  void Fixed64(uint64_t value);
  void Float(float value);
  void Double(double value);

  // Appends a string in a form that all readers accept: null (0) for a view without data, empty
  // (1), or UTF-8 (3).
  void String(std::string_view utf8);

  // Appends a string in form 3, even if it is empty: async-profiler's reader accepts no other form
  // for symbols.
  void Utf8(std::string_view text);

  void Bytes(std::span<const uint8_t> bytes);

  // Reserves kPaddedSize bytes for a size that is not known yet (StorePadded).
  void ReserveSize();

  // BeginEvent and EndEvent enclose an event. EndEvent writes the size of the event in as few bytes
  // as possible. The size includes its own bytes.
  size_t BeginEvent(uint32_t type_id) {
    const size_t start = size_;
    Byte(0);
    Varint(type_id);
    return start;
  }
  void EndEvent(size_t start) {
    const size_t size = size_ - start;
    if (size < 0x80) {
      data_[start] = static_cast<uint8_t>(size);
    } else {
      WidenSize(start);
    }
  }

  // Stores `value` as a varint of kPaddedSize bytes. REQUIRES: value < 2^35.
  static constexpr size_t kPaddedSize = 5;
  static void StorePadded(uint8_t* to, uint64_t value);

  std::span<const uint8_t> bytes() const { return {data_.get(), size_}; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  void Clear() { size_ = 0; }

 private:
  static constexpr int kMaxVarint = 9;

  void Reserve(size_t bytes) {
    if (capacity_ - size_ < bytes) Grow(bytes);
  }
  void Grow(size_t bytes);
  void WidenSize(size_t start);

  std::unique_ptr<uint8_t[]> data_;
  size_t size_ = 0;
  size_t capacity_;
};

}  // namespace jprof
