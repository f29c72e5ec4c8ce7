// FrameSection reads the entries of a copy of .eh_frame or .debug_frame by their offsets.
//
// Not for signal handlers; used by one thread. The bytes are not trusted: a damaged entry is
// skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "sigsafe/native/frame_entry.h"

namespace jprof {

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
  std::optional<FrameEntry> EntryAt(uint64_t offset) const;
  const CommonFrame* CommonAt(uint64_t offset);

  const std::span<const uint8_t> bytes_;
  const uint64_t address_;
  const FrameFormat format_;
  // Keyed by the offset of the CIE. FunctionFrames point to the values.
  std::map<uint64_t, std::optional<CommonFrame>> commons_;
};

}  // namespace jprof
