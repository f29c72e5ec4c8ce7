#include "unwind/frame_section.h"

namespace jprof {

std::optional<FrameEntry> FrameSection::EntryAt(uint64_t offset) const {
  FrameBytes reader(bytes_, address_);
  reader.MoveTo(offset);
  return ParseEntry(reader, format_);
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

std::optional<FunctionFrame> FrameSection::FunctionAt(uint64_t offset) {
  const std::optional<FrameEntry> entry = EntryAt(offset);
  if (!entry || entry->is_common) return std::nullopt;
  const CommonFrame* common = CommonAt(entry->common_offset);
  if (common == nullptr) return std::nullopt;
  return ParseFunction(entry->content, *common);
}

}  // namespace jprof
