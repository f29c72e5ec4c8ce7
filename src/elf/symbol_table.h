// ResolveSymbols finds the names for a batch of code addresses of one library.
//
// Reads .symtab and .dynsym once, if they exist. The memory for this is proportional to the number
// of addresses, not of symbols. The file is never trusted (elf_image.h). Thread-safe; not for
// signal handlers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

struct ResolvedSymbol {
  std::string name;    // demangled name (symbol_name.h); empty: no symbol covers the address
  uint64_t start = 0;  // first address of the symbol, minus load_bias
};

// Returns the symbol of each address, in the order of `addresses`. The addresses are pcs minus
// load_bias, in any order, and may contain duplicates.
Result<std::vector<ResolvedSymbol>> ResolveSymbols(const ElfImage& image,
                                                   const std::vector<uint64_t>& addresses);

// Resolves addresses of a loaded library. If the library has no .symtab, names in its separate
// debug file are preferred. `image` is the library's file, or its symbols from memory; nullptr if
// there is neither. Fails if `image` is nullptr and there is no debug file.
Result<std::vector<ResolvedSymbol>> ResolveSymbols(const Library& library, const ElfImage* image,
                                                   const std::vector<uint64_t>& addresses);

// Resolves addresses of a loaded library, with the library's file or the vDSO's memory as the
// image. A file that has been replaced since the library was loaded is not used. Fails if there is
// neither the library's file nor a debug file.
Result<std::vector<ResolvedSymbol>> ResolveSymbols(const Library& library,
                                                   const std::vector<uint64_t>& addresses);

}  // namespace jprof
