#include "sigsafe/native/frame_entry.h"

namespace jprof {
namespace {

constexpr uint32_t kExtendedLength = 0xffffffff;
constexpr uint8_t kWordBytes = 8;

// Parses the augmentation of a CIE. Returns false unless the augmentation is empty or starts with
// "z", the letter that adds the length of the augmentation data. Without the length, the data of
// unknown letters cannot be skipped.
bool ParseAugmentation(FrameBytes& letters, FrameBytes& content, CommonFrame* common) {
  if (letters.at_end()) return true;
  if (letters.U8() != 'z') return false;
  common->has_augmentation_data = true;
  FrameBytes data = content.Take(content.Uleb());
  while (!letters.at_end()) {
    const uint8_t letter = letters.U8();
    if (letter == 'R') {
      common->pointer_encoding = data.U8();
    } else if (letter == 'P') {
      const uint8_t encoding = data.U8();
      data.PointerFormat(encoding);  // the personality routine is not used
    } else if (letter == 'L') {
      data.U8();
    } else if (letter == 'S') {
      common->is_signal_frame = true;
    } else if (letter != 'B') {  // B: return addresses are signed; walks remove signatures
      break;
    }
  }
  return content.ok() && data.ok();
}

}  // namespace

std::optional<FrameEntry> ParseEntry(FrameBytes reader, FrameFormat format) {
  uint64_t length = reader.U32();
  const bool is_long = length == kExtendedLength;
  if (is_long) length = reader.U64();
  if (!reader.ok() || length == 0) return std::nullopt;
  const uint64_t begin = reader.position();
  FrameBytes content = reader.Take(length);
  // In .eh_frame the id of an FDE is the distance from the CIE to the id. In practice the id has 4
  // bytes, even in entries whose length field has 8 bytes. In .debug_frame the id is the offset of
  // the CIE in the section.
  const bool has_long_id = is_long && format == FrameFormat::kDebugFrame;
  const uint64_t id = has_long_id ? content.U64() : content.U32();
  if (!reader.ok() || !content.ok()) return std::nullopt;
  FrameEntry entry{content, 0, begin + length, false};
  if (format == FrameFormat::kEhFrame) {
    entry.is_common = id == 0;
    entry.common_offset = begin - id;
  } else {
    entry.is_common = id == (has_long_id ? UINT64_MAX : UINT32_MAX);
    entry.common_offset = id;
  }
  return entry;
}

std::optional<CommonFrame> ParseCommon(FrameBytes content) {
  CommonFrame common;
  const uint8_t version = content.U8();
  if (version != 1 && version != 3 && version != 4) return std::nullopt;
  const uint64_t letters_begin = content.position();
  uint64_t letter_count = 0;
  while (content.U8() != 0) ++letter_count;
  const uint64_t behind_letters = content.position();
  content.MoveTo(letters_begin);
  FrameBytes letters = content.Take(letter_count);
  content.MoveTo(behind_letters);
  if (version == 4 && (content.U8() != kWordBytes || content.U8() != 0)) return std::nullopt;
  common.code_alignment = content.Uleb();
  common.data_alignment = content.Sleb();
  common.return_address_register = version == 1 ? content.U8() : content.Uleb();
  if (!ParseAugmentation(letters, content, &common) || !content.ok()) return std::nullopt;
  common.instructions = content.Rest();
  return common;
}

std::optional<FunctionFrame> ParseFunction(FrameBytes content, const CommonFrame& common) {
  FunctionFrame function;
  function.common = &common;
  const uint8_t encoding = common.pointer_encoding;
  function.begin = content.Pointer(encoding, 0);
  const uint64_t size = content.PointerFormat(encoding);
  if (common.has_augmentation_data) content.Skip(content.Uleb());
  if (!content.ok() || __builtin_add_overflow(function.begin, size, &function.end)) {
    return std::nullopt;
  }
  function.instructions = content.Rest();
  return function;
}

}  // namespace jprof
