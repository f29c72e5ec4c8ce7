#include "unwind/frame_index.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "elf/elf_image.h"
#include "elf/library_image.h"

namespace jprof {
namespace {

constexpr uint64_t kMaxImage = uint64_t{1} << 30;
// The largest .debug_frame that is read, in bytes. A .debug_frame is not loaded with the library;
// it is read from the library's file into memory.
constexpr uint64_t kMaxDebugFrame = uint64_t{128} << 20;
constexpr uint8_t kHeaderVersion = 1;

Result<FrameImage> CopyWhileLoaded(const Library& library, const AddressRange& range) {
  if (range.end <= range.begin || range.end - range.begin > kMaxImage) {
    return Error(library.path + ": no unwind information of a reasonable size");
  }
  FrameImage image;
  image.address = range.begin;
  if (!LibraryMap::CopyWhileLoaded(library, range, &image.bytes)) {
    return Error(library.path + " was unloaded");
  }
  return image;
}

size_t FixedSizeOf(uint8_t encoding) {
  switch (encoding & eh_pointer::kFormat) {
    case eh_pointer::kUdata2:
    case eh_pointer::kSdata2:
      return 2;
    case eh_pointer::kUdata4:
    case eh_pointer::kSdata4:
      return 4;
    case eh_pointer::kAbsolute:
    case eh_pointer::kUdata8:
    case eh_pointer::kSdata8:
      return 8;
    default:
      return 0;
  }
}

// Adds the functions to `index` by reading one entry after the other, up to the end mark or the
// first damaged entry.
void WalkEntries(FrameFormat format, FrameIndex* index) {
  const std::span<const uint8_t> bytes = std::span(index->image.bytes).subspan(index->section);
  FrameSection section(bytes, index->image.address + index->section, format);
  std::optional<uint64_t> offset = 0;
  while (offset) {
    if (section.FunctionAt(*offset)) index->functions.push_back(*offset);
    offset = section.Next(*offset);
  }
}

Result<FrameIndex> IndexBySectionHeaders(const Library& library) {
  Result<ElfImage> elf = OpenLibraryImage(library);
  if (!elf) return elf.error();
  const Elf64_Shdr* section = elf.value().SectionNamed(".eh_frame");
  if (section == nullptr || (section->sh_flags & SHF_ALLOC) == 0) {
    return Error(library.path + " has no .eh_frame");
  }
  const uint64_t begin = library.load_bias + section->sh_addr;
  Result<FrameImage> image = CopyWhileLoaded(library, {begin, begin + section->sh_size});
  if (!image) return image.error();
  FrameIndex index{std::move(image).value(), 0, {}};
  WalkEntries(FrameFormat::kEhFrame, &index);
  return index;
}

}  // namespace

Result<FrameIndex> IndexByHeader(FrameImage image, uint64_t header) {
  FrameBytes reader(image.bytes, image.address);
  reader.MoveTo(header);
  const uint64_t header_address = reader.address();
  const uint8_t version = reader.U8();
  const uint8_t section_encoding = reader.U8();
  const uint8_t count_encoding = reader.U8();
  const uint8_t table_encoding = reader.U8();
  const uint64_t section = reader.Pointer(section_encoding, header_address) - image.address;
  if (!reader.ok() || version != kHeaderVersion || section >= image.bytes.size()) {
    return Error("unreadable .eh_frame_hdr");
  }
  FrameIndex index{std::move(image), section, {}};
  const size_t pointer_size = FixedSizeOf(table_encoding);
  uint64_t count = 0;
  if (count_encoding != eh_pointer::kOmitted) count = reader.PointerFormat(count_encoding);
  if (table_encoding == eh_pointer::kOmitted || pointer_size == 0 || !reader.ok() || count == 0 ||
      count > (reader.size() - reader.position()) / (2 * pointer_size)) {
    WalkEntries(FrameFormat::kEhFrame, &index);
    return index;
  }
  index.functions.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    reader.Pointer(table_encoding, header_address);
    const uint64_t entry = reader.Pointer(table_encoding, header_address);
    index.functions.push_back(entry - index.image.address - section);
  }
  if (!reader.ok()) return Error("unreadable table in .eh_frame_hdr");
  return index;
}

Result<FrameIndex> IndexEhFrame(const Library& library) {
  if (library.frame_segment.end == 0) return IndexBySectionHeaders(library);
  // .eh_frame is in the same segment as its header. It follows the header, except in objects linked
  // by gold, where it precedes the header.
  const uint64_t header = library.frame_header.begin;
  for (const uint64_t begin : {header, library.frame_segment.begin}) {
    Result<FrameImage> image = CopyWhileLoaded(library, {begin, library.frame_segment.end});
    if (!image) return image.error();
    Result<FrameIndex> index = IndexByHeader(std::move(image).value(), header - begin);
    if (index) return index;
  }
  return Error(library.path + ": unreadable .eh_frame_hdr");
}

Result<FrameIndex> IndexDebugFrame(const Library& library) {
  Result<ElfImage> elf = OpenLibraryImage(library);
  if (!elf) return elf.error();
  FrameIndex index;
  const Elf64_Shdr* section = elf.value().SectionNamed(".debug_frame");
  const bool is_plain = section != nullptr && section->sh_type == SHT_PROGBITS &&
                        (section->sh_flags & SHF_COMPRESSED) == 0 &&
                        section->sh_size <= kMaxDebugFrame;
  if (!is_plain) return index;
  index.image.bytes.resize(section->sh_size);
  if (!elf.value().Read(*section, 0, index.image.bytes.data(), section->sh_size)) {
    return Error(library.path + ": .debug_frame lies outside the file");
  }
  WalkEntries(FrameFormat::kDebugFrame, &index);
  return index;
}

Result<FrameIndexes> IndexFrames(const Library& library) {
  Result<FrameIndex> eh_frame = IndexEhFrame(library);
  Result<FrameIndex> debug_frame = IndexDebugFrame(library);
  if (!eh_frame && (!debug_frame || debug_frame.value().functions.empty())) {
    return eh_frame.error();
  }
  FrameIndexes frames;
  if (eh_frame) frames.eh_frame = std::move(eh_frame).value();
  if (debug_frame) frames.debug_frame = std::move(debug_frame).value();
  return frames;
}

}  // namespace jprof
