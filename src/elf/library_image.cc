#include "elf/library_image.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jprof {
namespace {

Result<ElfImage> ImageOf(const Library& library, Result<ByteSource> file) {
  if (!file.ok()) return file.error();
  Result<ElfImage> image = ElfImage::Parse(std::move(file).value(), library.path);
  if (image.ok() && !IsImageOf(image.value(), library)) {
    return Error(library.path + " is not the file that was loaded: its " +
                 (library.build_id.empty() ? "segments differ" : "build id differs"));
  }
  return image;
}

constexpr size_t kMaxLink = 4096;
constexpr size_t kPrefixDigits = 2;  // digits of a build id that name the folder
// The largest file whose checksum is computed, in bytes. The checksum takes some seconds.
constexpr uint64_t kMaxChecked = uint64_t{4} << 30;

struct DebugLink {
  std::string name;
  uint32_t checksum = 0;
};

// Reads .gnu_debuglink: a name, padding to four bytes, and a CRC-32 of the named file.
std::optional<DebugLink> LinkOf(const ElfImage& image) {
  const Elf64_Shdr* section = image.SectionNamed(".gnu_debuglink");
  if (section == nullptr || section->sh_size > kMaxLink) return std::nullopt;
  std::string content(section->sh_size, '\0');
  if (!image.Read(*section, 0, content.data(), content.size())) return std::nullopt;
  DebugLink link{content.substr(0, content.find('\0')), 0};
  const size_t checksum_at = (link.name.size() + 1 + 3) & ~size_t{3};
  if (link.name.empty() || link.name.find('/') != std::string::npos ||
      content.size() < checksum_at + sizeof link.checksum) {
    return std::nullopt;
  }
  memcpy(&link.checksum, content.data() + checksum_at, sizeof link.checksum);
  return link;
}

// Computes the CRC-32 of a file, with the reflected polynomial of IEEE 802.3; nullopt if the file
// cannot be read or is longer than kMaxChecked.
std::optional<uint32_t> ChecksumOf(const std::string& path) {
  static constexpr auto kTable = [] {
    std::array<uint32_t, 256> table = {};
    for (uint32_t byte = 0; byte < table.size(); ++byte) {
      uint32_t value = byte;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1) * 0xedb88320;
      table[byte] = value;
    }
    return table;
  }();
  const Result<ByteSource> file = ByteSource::OpenFile(path);
  if (!file || file.value().size() > kMaxChecked) return std::nullopt;
  uint32_t checksum = ~uint32_t{0};
  std::string piece(64 << 10, '\0');
  for (uint64_t offset = 0; offset < file.value().size(); offset += piece.size()) {
    piece.resize(std::min<uint64_t>(piece.size(), file.value().size() - offset));
    if (!file.value().Read(offset, piece.data(), piece.size())) return std::nullopt;
    for (const char c : piece) {
      checksum = kTable[(checksum ^ static_cast<unsigned char>(c)) & 0xff] ^ checksum >> 8;
    }
  }
  return ~checksum;
}

// Opens the file at `path` if it has symbols and is of the same build as the library. If the
// library has a build id, the file must have the same one; else the file must have the checksum in
// `link`.
std::optional<ElfImage> OpenIfSameBuild(const std::string& path, const Library& library,
                                        const DebugLink* link) {
  Result<ByteSource> file = ByteSource::OpenFile(path);
  if (!file) return std::nullopt;
  Result<ElfImage> image = ElfImage::Parse(std::move(file).value(), path);
  if (!image || image.value().SectionOfType(SHT_SYMTAB) == nullptr) return std::nullopt;
  const bool is_same = library.build_id.empty()
                           ? link != nullptr && ChecksumOf(path) == link->checksum
                           : image.value().BuildId() == library.build_id;
  if (!is_same) return std::nullopt;
  return std::move(image).value();
}

}  // namespace

Result<ElfImage> OpenLibraryImage(const Library& library) {
  if (library.path == kVdsoPath) {
    // The section headers follow the segment. They are in memory, too, because the kernel maps
    // whole pages.
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t size = (library.top - library.base + page - 1) / page * page;
    const auto* memory = reinterpret_cast<const void*>(library.base);
    return ElfImage::Parse(ByteSource::Memory(memory, size), library.path);
  }
  return ImageOf(library, ByteSource::OpenFile(library.path));
}

Result<ElfImage> OpenLibraryImage(const Library& library, ScopedFd file) {
  return ImageOf(library, ByteSource::OfFile(std::move(file), library.path));
}

bool IsImageOf(const ElfImage& image, const Library& library) {
  const std::string build_id = image.BuildId();
  if (!build_id.empty() || !library.build_id.empty()) return build_id == library.build_id;
  std::vector<AddressRange> executable;
  uint64_t base = UINT64_MAX;
  uint64_t top = 0;
  for (const Elf64_Phdr& segment : image.Segments()) {
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t begin = library.load_bias + segment.p_vaddr;
    base = std::min(base, begin);
    top = std::max(top, begin + segment.p_memsz);
    if ((segment.p_flags & PF_X) != 0) executable.push_back({begin, begin + segment.p_memsz});
  }
  return base == library.base && top == library.top && executable == library.executable;
}

Result<ElfImage> OpenDebugFile(const Library& library, const ElfImage* image,
                               const std::string& root) {
  const std::string& id = library.build_id;
  if (id.size() > kPrefixDigits) {
    const std::string path = root + "/.build-id/" + id.substr(0, kPrefixDigits) + '/' +
                             id.substr(kPrefixDigits) + ".debug";
    if (auto found = OpenIfSameBuild(path, library, nullptr)) return std::move(*found);
  }
  const std::optional<DebugLink> link = image != nullptr ? LinkOf(*image) : std::nullopt;
  if (link) {
    const std::string folder = library.path.substr(0, library.path.rfind('/') + 1);
    for (const std::string& place : {folder, folder + ".debug/", root + folder}) {
      if (place + link->name == library.path) continue;  // the stripped file itself
      if (auto found = OpenIfSameBuild(place + link->name, library, &*link))
        return std::move(*found);
    }
  }
  return Error("no debug file for " + library.path);
}

}  // namespace jprof
