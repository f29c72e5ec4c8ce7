// ReadMemorySymbols reads the symbols of a loaded library from the library's memory. It is for a
// library whose file is gone.
//
// Memory contains only the dynamic linker's table of symbols (.dynsym), which has the functions
// that the library exports or imports. The library's memory is not trusted: damaged tables give an
// Error or wrong names, and never a read out of bounds. Thread-safe; not for signal handlers.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

// The largest table of symbols, and the largest table of their names, that is copied.
inline constexpr size_t kMaxMemorySymbols = 8 << 20;  // bytes

// Returns an image with a section of type SHT_DYNSYM. The image contains copies of the library's
// symbols and their names, so it can outlive the library. Fails if the library has no .dynsym, or
// has been unloaded.
Result<ElfImage> ReadMemorySymbols(const Library& library);

}  // namespace jprof
