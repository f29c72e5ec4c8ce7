// ByteCursor: reads the items of the JFR format from untrusted bytes.
//
// A read beyond the end returns zeros and makes the cursor fail. A failed cursor moves to the end
// and fails all later reads, so that a loop needs only one check per iteration. Plain value, usable
// on any thread. Does not own the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace jprof::profile {

// The encoding of integers in a chunk: 7 bits per byte, or big-endian at full width.
enum class JfrIntegers : uint8_t { kCompressed, kPlain };

class ByteCursor {
 public:
  ByteCursor() = default;
  ByteCursor(std::span<const uint8_t> bytes, JfrIntegers integers)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()), integers_(integers) {}

  bool failed() const { return failed_; }
  size_t remaining() const { return static_cast<size_t>(end_ - at_); }
  const uint8_t* at() const { return at_; }

  uint8_t Byte() {
    if (at_ == end_) return static_cast<uint8_t>(Fail());
    return *at_++;
  }

  // Long, Int and Short read the integer types of the format. Negative numbers are returned as
  // their bit patterns.
  uint64_t Long() { return integers_ == JfrIntegers::kCompressed ? Varint() : BigEndian(8); }
  uint32_t Int() {
    return static_cast<uint32_t>(integers_ == JfrIntegers::kCompressed ? Varint() : BigEndian(4));
  }
  uint16_t Short() {
    return static_cast<uint16_t>(integers_ == JfrIntegers::kCompressed ? Varint() : BigEndian(2));
  }

  uint64_t Varint() {
    if (at_ != end_ && *at_ < 0x80) return *at_++;
    return LongVarint();
  }

  // Skips `count` varints.
  void SkipVarints(uint64_t count) {
    for (; count != 0 && !failed_; --count) Varint();
  }

  uint64_t BigEndian(size_t width) {
    if (remaining() < width) return Fail();
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) value = value << 8 | at_[i];
    at_ += width;
    return value;
  }

  // Returns the next `count` bytes; empty if fewer are left.
  std::span<const uint8_t> Bytes(uint64_t count) {
    if (remaining() < count) {
      Fail();
      return {};
    }
    const std::span<const uint8_t> bytes(at_, static_cast<size_t>(count));
    at_ += count;
    return bytes;
  }

  // Reads the count of the items that follow it. Each item takes at least one byte, so Count fails
  // if fewer bytes remain than there would be items.
  uint64_t Count() {
    const uint64_t count = Int();
    return count <= remaining() ? count : Fail();
  }

  uint64_t Fail() {
    failed_ = true;
    at_ = end_;
    return 0;
  }

 private:
  uint64_t LongVarint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 56; shift += 7) {
      if (at_ == end_) return Fail();
      const uint8_t byte = *at_++;
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    if (at_ == end_) return Fail();
    return value | static_cast<uint64_t>(*at_++) << 56;  // the ninth byte holds eight bits
  }

  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  JfrIntegers integers_ = JfrIntegers::kCompressed;
  bool failed_ = false;
};

}  // namespace jprof::profile
