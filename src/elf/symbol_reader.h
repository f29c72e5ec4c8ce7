// ForEachSymbol: the symbols of one table of an ELF file, in its order.
//
// Thread-safe; not for handlers. The file is never trusted (elf_image.h).
#pragma once

#include <functional>

#include "elf/elf_image.h"

namespace jprof {

// `strings`: for ElfImage::StringAt. False ends it.
using VisitSymbol = std::function<bool(const Elf64_Sym& symbol, const Elf64_Shdr& strings)>;

// Visits nothing if the image has no such table (SHT_SYMTAB, SHT_DYNSYM), and no more where it is
// damaged.
void ForEachSymbol(const ElfImage& image, uint32_t type, const VisitSymbol& visit);

}  // namespace jprof
