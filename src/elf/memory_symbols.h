// ReadMemorySymbols: reads the symbols of a loaded library from its memory, for a library whose
// file is gone.
//
// Memory contains only the table of the dynamic linker (.dynsym): the functions that the library
// exports or imports. The library's memory is not trusted: damaged tables give an Error or wrong
// names, and never a read out of bounds. Thread-safe; not for signal handlers.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

// Larger tables of symbols, or of their names, are not copied.
inline constexpr size_t kMaxMemorySymbols = 8 << 20;  // bytes

// Returns an image with a section of SHT_DYNSYM and copies of its symbols and names, so that the
// image can outlive the library. Fails if the library has no such table, or has been unloaded.
Result<ElfImage> ReadMemorySymbols(const Library& library);

}  // namespace jprof
