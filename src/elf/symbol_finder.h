// Searches in symbol tables: FindVariables and FindFunctions find addresses by names, ForEachSymbol
// visits all symbols of a table.
//
// Thread-safe; not for signal handlers. The file is never trusted (elf_image.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

// Returns the addresses in this process of variables of a library, in the order of `names`
// (mangled); 0 if the library has no such variable of `size` bytes. Reads .symtab once, and only
// the names of variables of this size. Fails if the file cannot be read.
Result<std::vector<uint64_t>> FindVariables(const Library& library,
                                            const std::vector<std::string_view>& names,
                                            uint64_t size);

// Returns the addresses in this process of the functions of a library whose names, demangled and
// without parameters (DemangledName), equal `name`: "SafepointSynchronize::begin", "write". There
// are several for overloads and for functions that are static in their files; empty if there are
// none. Reads all names of functions in the library's .symtab and .dynsym, or in its memory if the
// file is gone; if none of them fits, reads those in the .symtab of its debug file.
std::vector<uint64_t> FindFunctions(const Library& library, std::string_view name);

// Visits a symbol; returns false to end the visits. `strings` is the string table with the symbol's
// name, for ElfImage::StringAt.
using VisitSymbol = std::function<bool(const Elf64_Sym& symbol, const Elf64_Shdr& strings)>;

// Visits the symbols of the table of this type (SHT_SYMTAB, SHT_DYNSYM), in its order. Visits
// nothing if the image has no such table, and stops where the table is damaged.
void ForEachSymbol(const ElfImage& image, uint32_t type, const VisitSymbol& visit);

}  // namespace jprof
