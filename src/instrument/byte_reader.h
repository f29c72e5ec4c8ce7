// ByteReader: big-endian integers of a class file, from untrusted bytes.
//
// A read beyond the end returns zero and makes the reader fail; a failed reader stays failed and at
// the end, so that a loop may check once per iteration. Does not own the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace jprof::instrument {

using Bytes = std::span<const uint8_t>;

class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  size_t position() const { return position_; }
  bool AtEnd() const { return position_ == bytes_.size() && !failed_; }

  uint8_t U1() { return static_cast<uint8_t>(BigEndian(1)); }
  uint16_t U2() { return static_cast<uint16_t>(BigEndian(2)); }
  uint32_t U4() { return BigEndian(4); }

  // Empty if fewer bytes are left.
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
