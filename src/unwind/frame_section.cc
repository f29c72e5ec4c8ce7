#include "unwind/frame_section.h"

#include <cstring>

namespace jprof {
namespace {

constexpr uint32_t kExtendedLength = 0xffffffff;
constexpr uint8_t kWordBytes = 8;

}  // namespace

template <typename T>
T FrameBytes::Fixed() {
  if (!ok_ || bytes_.size() - position_ < sizeof(T)) {
    Fail();
    return 0;
  }
  T value;
  memcpy(&value, bytes_.data() + position_, sizeof value);
  position_ += sizeof value;
  return value;
}

template uint8_t FrameBytes::Fixed();
template uint16_t FrameBytes::Fixed();
template uint32_t FrameBytes::Fixed();
template uint64_t FrameBytes::Fixed();

void FrameBytes::MoveTo(size_t position) {
  if (position > bytes_.size()) return Fail();
  position_ = position;
}

void FrameBytes::Skip(uint64_t n) {
  if (!ok_ || n > bytes_.size() - position_) return Fail();
  position_ += n;
}

FrameBytes FrameBytes::Take(uint64_t n) {
  const size_t begin = position_;
  Skip(n);
  if (!ok_) return {{}, 0};
  return {bytes_.subspan(begin, n), address_ + begin};
}

uint64_t FrameBytes::Uleb() {
  uint64_t value = 0;
  for (unsigned shift = 0; ok_; shift += 7) {
    const uint8_t byte = U8();
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) break;
  }
  return ok_ ? value : 0;
}

int64_t FrameBytes::Sleb() {
  uint64_t value = 0;
  for (unsigned shift = 0; ok_;) {
    const uint8_t byte = U8();
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
    break;
  }
  return ok_ ? static_cast<int64_t>(value) : 0;
}

uint64_t FrameBytes::PointerFormat(uint8_t encoding) {
  switch (encoding & eh_pointer::kFormat) {
    case eh_pointer::kAbsolute:
    case eh_pointer::kUdata8:
    case eh_pointer::kSdata8:
      return U64();
    case eh_pointer::kUleb128:
      return Uleb();
    case eh_pointer::kSleb128:
      return static_cast<uint64_t>(Sleb());
    case eh_pointer::kUdata2:
      return U16();
    case eh_pointer::kUdata4:
      return U32();
    case eh_pointer::kSdata2:
      return static_cast<uint64_t>(int64_t{static_cast<int16_t>(U16())});
    case eh_pointer::kSdata4:
      return static_cast<uint64_t>(int64_t{static_cast<int32_t>(U32())});
    default:
      Fail();
      return 0;
  }
}

uint64_t FrameBytes::Pointer(uint8_t encoding, uint64_t data_base) {
  const uint64_t here = address();
  const uint64_t value = PointerFormat(encoding);
  const uint8_t base = encoding & eh_pointer::kBase;
  if (encoding == eh_pointer::kOmitted || (encoding & eh_pointer::kIndirect) != 0) Fail();
  if (base == eh_pointer::kPcRelative) return ok_ ? here + value : 0;
  if (base == eh_pointer::kDataRelative && data_base != 0) return ok_ ? data_base + value : 0;
  if (base != 0) Fail();
  return ok_ ? value : 0;
}

std::optional<FrameSection::FrameEntry> FrameSection::EntryAt(uint64_t offset) const {
  FrameBytes reader(bytes_, address_);
  reader.MoveTo(offset);
  uint64_t length = reader.U32();
  const bool is_long = length == kExtendedLength;
  if (is_long) length = reader.U64();
  if (!reader.ok() || length == 0) return std::nullopt;
  const uint64_t begin = reader.position();
  FrameBytes content = reader.Take(length);
  // In .eh_frame the id of an FDE is the distance from the CIE to the id. In practice the id has 4
  // bytes, even in entries whose length field has 8 bytes. In .debug_frame the id is the offset of
  // the CIE in the section.
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

// Parses the augmentation of a CIE. Returns false unless the augmentation is empty or starts with
// "z", the letter that adds the length of the augmentation data. Without the length, the data of
// unknown letters cannot be skipped.
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
    } else if (letter != 'B') {  // B: return addresses are signed; walks remove signatures
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
