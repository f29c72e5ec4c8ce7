// ResolveSymbols: names for a batch of code addresses of one library.
//
// Called outside handlers when a recording is written, on any thread. Reads .symtab and .dynsym,
// as far as they exist, once; memory is proportional to the addresses, not to the symbols. The file
// is never trusted (elf_image.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

struct ResolvedSymbol {
  std::string name;    // demangled (symbol_name.h); empty: no symbol covers the address
  uint64_t start = 0;  // first address of the symbol, minus load_bias
};

// Results in the order of `addresses`, which are pcs minus load_bias, in any order, duplicates
// allowed.
Result<std::vector<ResolvedSymbol>> ResolveSymbols(const ElfImage& image,
                                                   const std::vector<uint64_t>& addresses);

// As above for a loaded library, of which `image` is the file, or all that is known of its symbols:
// for a library without .symtab from its separate debug file first. `image`: nullptr if there is
// none; then it fails if there is no debug file either.
Result<std::vector<ResolvedSymbol>> ResolveSymbols(const Library& library, const ElfImage* image,
                                                   const std::vector<uint64_t>& addresses);

// As above for a loaded library: from its file or the vDSO's memory, and for a library without
// .symtab from its separate debug file first. Fails if there is neither, or the file has been
// replaced since it was loaded (another build id).
Result<std::vector<ResolvedSymbol>> ResolveSymbols(const Library& library,
                                                   const std::vector<uint64_t>& addresses);

}  // namespace jprof
