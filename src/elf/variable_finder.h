// FindVariables: addresses of variables of a library, by their names in its symbol table.
//
// Not for handlers; any thread. Reads .symtab once; names are read only for variables of the
// requested size. The file is never trusted (elf_image.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/library_map.h"

namespace jprof {

// Addresses in this process, in the order of `names` (mangled); 0: the library has no such variable
// of `size` bytes. Fails if the file cannot be read.
Result<std::vector<uint64_t>> FindVariables(const Library& library,
                                            const std::vector<std::string_view>& names,
                                            uint64_t size);

}  // namespace jprof
