// FrameSection: parses the entries in .eh_frame or .debug_frame.
//
// Not for handlers; used by one thread. The bytes are not trusted: a damaged entry is skipped. The
// format is that of Linux Standard Base Core 5.0, 10.6 (.eh_frame) and DWARF 5, 6.4.1
// (.debug_frame).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "unwind/frame_bytes.h"

namespace jprof {

enum class FrameFormat { kEhFrame, kDebugFrame };

// The common part of many functions (a CIE).
struct CommonFrame {
  uint64_t code_alignment = 1;
  int64_t data_alignment = 1;
  uint64_t return_address_register = 0;
  uint8_t pointer_encoding = eh_pointer::kAbsolute;
  bool has_augmentation_data = false;
  bool is_signal_frame = false;
  FrameBytes instructions{{}, 0};
};

// One function (an FDE).
struct FunctionFrame {
  uint64_t begin = 0;
  uint64_t end = 0;  // exclusive
  const CommonFrame* common = nullptr;
  FrameBytes instructions{{}, 0};
};

class FrameSection {
 public:
  // `address` is that of the first byte in the loaded program, on which pc-relative pointers are
  // based. `bytes` must outlive the section and its entries.
  FrameSection(std::span<const uint8_t> bytes, uint64_t address, FrameFormat format)
      : bytes_(bytes), address_(address), format_(format) {}

  // Returns the function of the entry at `offset`; nullopt for a CIE and for a damaged entry.
  std::optional<FunctionFrame> FunctionAt(uint64_t offset);

  // Returns the offset of the entry that follows the entry at `offset`; nullopt if there is none.
  std::optional<uint64_t> Next(uint64_t offset) const;

 private:
  struct FrameEntry {
    FrameBytes content;          // after the id
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
  std::map<uint64_t, std::optional<CommonFrame>> commons_;  // keyed by offset; addresses are stable
};

}  // namespace jprof
