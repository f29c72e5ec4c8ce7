// Parses the entries of .eh_frame and .debug_frame: an entry for each function, and entries that
// many functions share.
//
// Async-signal-safe; used by any thread. The bytes are not trusted: a damaged entry gives nullopt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sigsafe/native/frame_bytes.h"

namespace jprof {

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

// An entry of either kind, before its content is parsed.
struct FrameEntry {
  FrameBytes content;          // the bytes after the id
  uint64_t common_offset = 0;  // offset of the FDE's CIE, in the bytes of the reader
  uint64_t end = 0;            // offset of the next entry
  bool is_common = false;
};

// Parses the entry at the position of `reader`. Returns nullopt for a damaged entry and for the
// mark at the end of a section.
std::optional<FrameEntry> ParseEntry(FrameBytes reader, FrameFormat format);

// Parses the content of a CIE.
std::optional<CommonFrame> ParseCommon(FrameBytes content);

// Parses the content of an FDE whose CIE is `common`. The result points to `common`.
std::optional<FunctionFrame> ParseFunction(FrameBytes content, const CommonFrame& common);

}  // namespace jprof
