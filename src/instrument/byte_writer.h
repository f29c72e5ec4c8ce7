// ByteWriter: big-endian integers of a class file, appended to a vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace jprof::instrument {

// Overwrites two bytes. REQUIRES: at + 2 <= bytes.size().
inline void SetU2(std::span<uint8_t> bytes, size_t at, uint32_t value) {
  bytes[at] = static_cast<uint8_t>(value >> 8);
  bytes[at + 1] = static_cast<uint8_t>(value);
}

class ByteWriter {
 public:
  size_t size() const { return bytes_.size(); }
  std::span<const uint8_t> bytes() const { return bytes_; }
  std::vector<uint8_t> Release() { return std::move(bytes_); }
  void Reserve(size_t size) { bytes_.reserve(size); }

  // The low bytes of `value`.
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

  // Overwrites two bytes. REQUIRES: at + 2 <= size().
  void SetU2(size_t at, uint32_t value) { instrument::SetU2(bytes_, at, value); }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace jprof::instrument
