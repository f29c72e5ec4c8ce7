#include "unwind/frame_section.h"

namespace jprof {
namespace {

constexpr uint32_t kExtendedLength = 0xffffffff;
constexpr uint8_t kWordBytes = 8;

}  // namespace

std::optional<FrameSection::FrameEntry> FrameSection::EntryAt(uint64_t offset) const {
  FrameBytes reader(bytes_, address_);
  reader.MoveTo(offset);
  uint64_t length = reader.U32();
  const bool is_long = length == kExtendedLength;
  if (is_long) length = reader.U64();
  if (!reader.ok() || length == 0) return std::nullopt;
  const uint64_t begin = reader.position();
  FrameBytes content = reader.Take(length);
  // In .eh_frame the id is a distance back from itself, with 4 bytes in practice, even in long
  // entries. In .debug_frame it is an offset from the start of the section.
  const bool has_long_id = is_long && format_ == FrameFormat::kDebugFrame;
  const uint64_t id = has_long_id ? content.U64() : content.U32();
  if (!reader.ok() || !content.ok()) return std::nullopt;
  FrameEntry entry{content, 0, begin + length, false};
  if (format_ == FrameFormat::kEhFrame) {
    entry.is_common = id == 0;
    entry.common_offset = begin - id;
  } else {
    entry.is_common = id == (has_long_id ? UINT64_MAX : UINT32_MAX);
    entry.common_offset = id;
  }
  return entry;
}

std::optional<uint64_t> FrameSection::Next(uint64_t offset) const {
  const std::optional<FrameEntry> entry = EntryAt(offset);
  if (!entry || entry->end >= bytes_.size()) return std::nullopt;
  return entry->end;
}

const CommonFrame* FrameSection::CommonAt(uint64_t offset) {
  const auto [place, is_new] = commons_.try_emplace(offset);
  if (is_new) {
    const std::optional<FrameEntry> entry = EntryAt(offset);
    if (entry && entry->is_common) place->second = ParseCommon(entry->content);
  }
  return place->second ? &*place->second : nullptr;
}

std::optional<CommonFrame> FrameSection::ParseCommon(FrameBytes content) const {
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

// Parses the augmentation of a CIE. It must start with "z": without the length that this letter
// adds, unknown letters would make the rest unreadable.
bool FrameSection::ParseAugmentation(FrameBytes& letters, FrameBytes& content,
                                     CommonFrame* common) const {
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
    } else if (letter != 'B') {  // B: signed return addresses; signatures are always removed
      break;
    }
  }
  return content.ok() && data.ok();
}

std::optional<FunctionFrame> FrameSection::FunctionAt(uint64_t offset) {
  std::optional<FrameEntry> entry = EntryAt(offset);
  if (!entry || entry->is_common) return std::nullopt;
  FunctionFrame function;
  function.common = CommonAt(entry->common_offset);
  if (function.common == nullptr) return std::nullopt;
  FrameBytes& content = entry->content;
  const uint8_t encoding = function.common->pointer_encoding;
  function.begin = content.Pointer(encoding, 0);
  const uint64_t size = content.PointerFormat(encoding);
  if (function.common->has_augmentation_data) content.Skip(content.Uleb());
  if (!content.ok() || __builtin_add_overflow(function.begin, size, &function.end)) {
    return std::nullopt;
  }
  function.instructions = content.Rest();
  return function;
}

}  // namespace jprof
