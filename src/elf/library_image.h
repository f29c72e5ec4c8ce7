// OpenLibraryImage: the file of a loaded library, or the vDSO's memory, as an ElfImage.
//
// Thread-safe; not for handlers.
#pragma once

#include "base/result.h"
#include "base/scoped_fd.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

// Fails if the file is missing or has been replaced since it was loaded (IsImageOf).
Result<ElfImage> OpenLibraryImage(const Library& library);

// The same of an opened file, which may have another name by now, or none.
Result<ElfImage> OpenLibraryImage(const Library& library, ScopedFd file);

// Whether `image` is of the file that was loaded as `library`: by the build id, and where there is
// none by the places of its segments, which other versions of a file may share.
bool IsImageOf(const ElfImage& image, const Library& library);

}  // namespace jprof
