// ByteReader and ByteWriter read and write the big-endian integers of a class file.
//
// An object is used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace jprof::instrument {

// Overwrites two bytes with the low bytes of `value`, big-endian. REQUIRES: at + 2 <= bytes.size().
inline void SetU2(std::span<uint8_t> bytes, size_t at, uint32_t value) {
  bytes[at] = static_cast<uint8_t>(value >> 8);
  bytes[at + 1] = static_cast<uint8_t>(value);
}

// Appends big-endian integers to a vector that the writer owns.
class ByteWriter {
 public:
  size_t size() const { return bytes_.size(); }
  std::span<const uint8_t> bytes() const { return bytes_; }
  std::vector<uint8_t> Release() { return std::move(bytes_); }
  void Reserve(size_t size) { bytes_.reserve(size); }

  // Append the lowest one, two or four bytes of `value`.
  void U1(uint32_t value) { bytes_.push_back(static_cast<uint8_t>(value)); }
  void U2(uint32_t value) {
    U1(value >> 8);
    U1(value);
  }
  void U4(uint32_t value) {
    U2(value >> 16);
    U2(value);
  }
  void Append(std::span<const uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  // Overwrites two written bytes. REQUIRES: at + 2 <= size().
  void SetU2(size_t at, uint32_t value) { instrument::SetU2(bytes_, at, value); }

 private:
  std::vector<uint8_t> bytes_;
};

using Bytes = std::span<const uint8_t>;

// Reads big-endian integers from untrusted bytes, which must outlive the reader.
//
// A read beyond the end returns zero and makes the reader fail. A failed reader stays failed, and
// its position stays at the end of the bytes, so that a loop need check for failure only once per
// iteration.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  size_t position() const { return position_; }
  bool AtEnd() const { return position_ == bytes_.size() && !failed_; }

  uint8_t U1() { return static_cast<uint8_t>(BigEndian(1)); }
  uint16_t U2() { return static_cast<uint16_t>(BigEndian(2)); }
  uint32_t U4() { return BigEndian(4); }

  // Returns the next `count` bytes. If fewer are left, the reader fails and the result is empty.
  Bytes Take(size_t count) {
    if (count > bytes_.size() - position_) {
      Fail();
      return {};
    }
    const Bytes taken = bytes_.subspan(position_, count);
    position_ += count;
    return taken;
  }

  void Fail() {
    failed_ = true;
    position_ = bytes_.size();
  }

 private:
  uint32_t BigEndian(size_t width) {
    uint32_t value = 0;
    for (const uint8_t byte : Take(width)) value = value << 8 | byte;
    return value;
  }

  Bytes bytes_;
  size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace jprof::instrument
