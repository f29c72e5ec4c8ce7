// Functions that search in symbol tables: FindVariables and FindFunctions find addresses by names,
// ForEachSymbol visits all symbols of a table.
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

struct WantedVariable {
  std::string_view name;  // mangled
  uint64_t size;          // in bytes
};

// Returns the addresses in this process of variables of a library, in the order of `wanted`. An
// address is 0 if the library has no variable of that size with the name. Reads .symtab once, and
// the names of all variables of these sizes in few large reads. Fails if the file cannot be read.
Result<std::vector<uint64_t>> FindVariables(const Library& library,
                                            const std::vector<WantedVariable>& wanted);

// Returns the addresses in this process of the functions of a library whose names, demangled and
// without parameters (DemangledName), equal `name`. Examples of `name` are
// "SafepointSynchronize::begin" and "write". Overloads, and functions that are static in their
// files, give several addresses. The result is empty if there is no such function. Reads all names
// of functions in the library's .symtab and .dynsym. If the library's file is gone, reads the names
// in the library's memory instead. If no name fits, reads the .symtab of the library's debug file.
std::vector<uint64_t> FindFunctions(const Library& library, std::string_view name);

// A function that visits a symbol. It returns false to end the visits. `strings` is the string
// table with the symbol's name, for ElfImage::StringAt.
using VisitSymbol = std::function<bool(const Elf64_Sym& symbol, const Elf64_Shdr& strings)>;

// Visits the symbols of the table with the section type `type` (SHT_SYMTAB, SHT_DYNSYM), in the
// order of the table. Visits nothing if the image has no such table, and stops where the table is
// damaged.
void ForEachSymbol(const ElfImage& image, uint32_t type, const VisitSymbol& visit);

}  // namespace jprof
