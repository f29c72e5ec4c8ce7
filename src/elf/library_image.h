// OpenLibraryImage: opens the file of a loaded library, or the vDSO's memory, as an ElfImage.
//
// Thread-safe; not for signal handlers.
#pragma once

#include "base/result.h"
#include "base/scoped_fd.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

// Opens the file at the library's path. Fails if it is missing or has been replaced since it was
// loaded (IsImageOf).
Result<ElfImage> OpenLibraryImage(const Library& library);

// Uses an opened file, which can have another name by now, or none. Fails if it is not the file
// that was loaded.
Result<ElfImage> OpenLibraryImage(const Library& library, ScopedFd file);

// True if `image` is of the file that was loaded as `library`. Compares the build ids; if neither
// has one, compares the addresses of the segments, which other versions of a file can share.
bool IsImageOf(const ElfImage& image, const Library& library);

}  // namespace jprof
