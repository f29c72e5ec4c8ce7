// FrameSection parses the entries in .eh_frame or .debug_frame. FrameBytes reads their bytes with
// bounds checks.
//
// Not for signal handlers; used by one thread. The bytes are not trusted: a damaged entry is
// skipped. The format is that of Linux Standard Base Core 5.0, 10.6 (.eh_frame) and DWARF 5, 6.4.1
// (.debug_frame).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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

enum class FrameFormat { kEhFrame, kDebugFrame };

// A CIE (Common Information Entry): the part that the entries of many functions share.
struct CommonFrame {
  uint64_t code_alignment = 1;
  int64_t data_alignment = 1;
  uint64_t return_address_register = 0;
  uint8_t pointer_encoding = eh_pointer::kAbsolute;
  bool has_augmentation_data = false;
  bool is_signal_frame = false;
  FrameBytes instructions{{}, 0};
};

// An FDE (Frame Description Entry): the entry of one function.
struct FunctionFrame {
  uint64_t begin = 0;
  uint64_t end = 0;  // exclusive
  const CommonFrame* common = nullptr;
  FrameBytes instructions{{}, 0};
};

class FrameSection {
 public:
  // `address` is the address of the first byte in the loaded program; pc-relative pointers need it.
  // `bytes` must outlive the section and its entries.
  FrameSection(std::span<const uint8_t> bytes, uint64_t address, FrameFormat format)
      : bytes_(bytes), address_(address), format_(format) {}

  // Returns the function of the entry at `offset`; nullopt for a CIE and for a damaged entry.
  std::optional<FunctionFrame> FunctionAt(uint64_t offset);

  // Returns the offset of the entry that follows the entry at `offset`; nullopt if there is none.
  std::optional<uint64_t> Next(uint64_t offset) const;

 private:
  struct FrameEntry {
    FrameBytes content;          // the bytes after the id
    uint64_t common_offset = 0;  // offset of the FDE's CIE
    uint64_t end = 0;            // offset of the next entry
    bool is_common = false;
  };

  std::optional<FrameEntry> EntryAt(uint64_t offset) const;
  const CommonFrame* CommonAt(uint64_t offset);
  std::optional<CommonFrame> ParseCommon(FrameBytes content) const;
  bool ParseAugmentation(FrameBytes& letters, FrameBytes& content, CommonFrame* common) const;

  const std::span<const uint8_t> bytes_;
  const uint64_t address_;
  const FrameFormat format_;
  // Keyed by the offset of the CIE. FunctionFrames point to the values.
  std::map<uint64_t, std::optional<CommonFrame>> commons_;
};

}  // namespace jprof
