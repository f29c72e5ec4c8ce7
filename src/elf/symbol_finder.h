// ForEachSymbol: the symbols of one table of an ELF file, in its order.
//
// Thread-safe; not for handlers. The file is never trusted (elf_image.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

// FindVariables: addresses of variables of a library, by their names in its symbol table.
//
// Not for handlers; any thread. Reads .symtab once; names are read only for variables of the
// requested size. The file is never trusted (elf_image.h).

// Addresses in this process, in the order of `names` (mangled); 0: the library has no such variable
// of `size` bytes. Fails if the file cannot be read.
Result<std::vector<uint64_t>> FindVariables(const Library& library,
                                            const std::vector<std::string_view>& names,
                                            uint64_t size);

// FindFunctions: the addresses of the functions of a library that have a name, as people write it.
//
// Not for handlers; any thread. Reads all names of the library's functions once. The file is never
// trusted (elf_image.h).

// Addresses in this process of the functions that are called so without their parameters, as
// DemangledName has it: "SafepointSynchronize::begin", "write". Several: overloads, and functions
// that are static in their files. From the library's .symtab, or that of its debug file, and
// .dynsym; those that it exports where its file is gone. Empty: none.
std::vector<uint64_t> FindFunctions(const Library& library, std::string_view name);

// `strings`: for ElfImage::StringAt. False ends it.
using VisitSymbol = std::function<bool(const Elf64_Sym& symbol, const Elf64_Shdr& strings)>;

// Visits nothing if the image has no such table (SHT_SYMTAB, SHT_DYNSYM), and no more where it is
// damaged.
void ForEachSymbol(const ElfImage& image, uint32_t type, const VisitSymbol& visit);

}  // namespace jprof
