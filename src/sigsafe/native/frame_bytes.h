// FrameBytes reads call frame information (DWARF) with bounds checks.
//
// Async-signal-safe; an object is used by one thread. The bytes are not trusted. The format is that
// of Linux Standard Base Core 5.0, 10.6 (.eh_frame) and DWARF 5, 6.4.1 (.debug_frame).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace jprof {

// Pointer encodings (Linux Standard Base Core 5.0, 10.5.1 "DWARF Exception Header Encoding").
namespace eh_pointer {
inline constexpr uint8_t kAbsolute = 0x00;
inline constexpr uint8_t kUleb128 = 0x01;
inline constexpr uint8_t kUdata2 = 0x02;
inline constexpr uint8_t kUdata4 = 0x03;
inline constexpr uint8_t kUdata8 = 0x04;
inline constexpr uint8_t kSleb128 = 0x09;
inline constexpr uint8_t kSdata2 = 0x0a;
inline constexpr uint8_t kSdata4 = 0x0b;
inline constexpr uint8_t kSdata8 = 0x0c;
inline constexpr uint8_t kFormat = 0x0f;
inline constexpr uint8_t kPcRelative = 0x10;
inline constexpr uint8_t kDataRelative = 0x30;
inline constexpr uint8_t kBase = 0x70;
inline constexpr uint8_t kIndirect = 0x80;
inline constexpr uint8_t kOmitted = 0xff;
}  // namespace eh_pointer

// Reads untrusted call frame information from a copy of its section. After a read beyond the end of
// the bytes, ok() is false and every read returns 0.
class FrameBytes {
 public:
  // `address`: the address of the first byte in the loaded program.
  FrameBytes(std::span<const uint8_t> bytes, uint64_t address) : bytes_(bytes), address_(address) {}

  bool ok() const { return ok_; }
  bool at_end() const { return !ok_ || position_ == bytes_.size(); }
  size_t position() const { return position_; }
  size_t size() const { return bytes_.size(); }
  uint64_t address() const { return address_ + position_; }

  void MoveTo(size_t position);
  void Skip(uint64_t n);

  // Returns a reader of the next `n` bytes, and skips them.
  FrameBytes Take(uint64_t n);

  // Returns a reader of all remaining bytes, and skips them.
  FrameBytes Rest() { return Take(bytes_.size() - position_); }

  uint8_t U8() { return Fixed<uint8_t>(); }
  uint16_t U16() { return Fixed<uint16_t>(); }
  uint32_t U32() { return Fixed<uint32_t>(); }
  uint64_t U64() { return Fixed<uint64_t>(); }
  uint64_t Uleb();
  int64_t Sleb();

  // Reads a pointer in `encoding`. `data_base` is the base of data-relative pointers; 0 if unknown.
  // Reads absolute pointers, and pointers relative to their own address or to `data_base`. Fails
  // for indirect pointers and for all other bases.
  uint64_t Pointer(uint8_t encoding, uint64_t data_base);

  // Reads the value of a pointer in `encoding` without adding its base. The size of a function is
  // encoded in this way.
  uint64_t PointerFormat(uint8_t encoding);

  void Fail() { ok_ = false; }

 private:
  template <typename T>
  T Fixed();

  std::span<const uint8_t> bytes_;
  uint64_t address_;
  size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace jprof
