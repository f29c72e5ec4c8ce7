// FindFunctions: the addresses of the functions of a library that have a name, as people write it.
//
// Not for handlers; any thread. Reads all names of the library's functions once. The file is never
// trusted (elf_image.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "elf/library_map.h"

namespace jprof {

// Addresses in this process of the functions that are called so without their parameters, as
// DemangledName has it: "SafepointSynchronize::begin", "write". Several: overloads, and functions
// that are static in their files. From the library's .symtab, or that of its debug file, and
// .dynsym; those that it exports where its file is gone. Empty: none.
std::vector<uint64_t> FindFunctions(const Library& library, std::string_view name);

}  // namespace jprof
