#include "elf/library_image.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
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

}  // namespace

Result<ElfImage> OpenLibraryImage(const Library& library) {
  if (library.path == kVdsoPath) {
    // The kernel maps whole pages, and section headers follow the segment.
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

}  // namespace jprof
