// OpenLibraryImage: the file of a loaded library, or the vDSO's memory, as an ElfImage.
//
// Thread-safe; not for handlers.
#pragma once

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

// Fails if the file is missing or has been replaced since it was loaded (another build id).
Result<ElfImage> OpenLibraryImage(const Library& library);

}  // namespace jprof
