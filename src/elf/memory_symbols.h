// ReadMemorySymbols: the symbols that a loaded library exports, from its memory.
//
// For a library whose file is gone. Memory has the table of the dynamic linker alone (.dynsym): the
// functions that the library exports or imports. Thread-safe; not for handlers. The library's
// memory is not trusted: it gives an Error or wrong names, and never a read out of bounds.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

// Larger tables of symbols, or of their names, are not copied.
inline constexpr size_t kMaxMemorySymbols = 8 << 20;  // bytes

// An image with a section of SHT_DYNSYM, and a copy of what it needs: it outlives the library.
// Fails if the library has no such table, or has been unloaded.
Result<ElfImage> ReadMemorySymbols(const Library& library);

}  // namespace jprof
