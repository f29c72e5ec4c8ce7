#include "elf/library_image.h"

#include <unistd.h>

#include <utility>

namespace jprof {

Result<ElfImage> OpenLibraryImage(const Library& library) {
  if (library.path == kVdsoPath) {
    // The kernel maps whole pages, and section headers follow the segment.
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t size = (library.top - library.base + page - 1) / page * page;
    const auto* memory = reinterpret_cast<const void*>(library.base);
    return ElfImage::Parse(ByteSource::Memory(memory, size), library.path);
  }
  Result<ByteSource> file = ByteSource::OpenFile(library.path);
  if (!file.ok()) return file.error();
  Result<ElfImage> image = ElfImage::Parse(std::move(file).value(), library.path);
  if (image.ok() && image.value().BuildId() != library.build_id) {
    return Error(library.path + " is not the file that was loaded: its build id differs");
  }
  return image;
}

}  // namespace jprof
