// ResolveSymbols: names for a batch of code addresses of one library.
//
// Called outside handlers when a recording is written, on any thread. Reads .symtab and .dynsym,
// whichever exist, once; memory is proportional to the addresses, not to the symbols. The file is
// never trusted (elf_image.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

struct ResolvedSymbol {
  std::string name;    // as symbol_name.h makes it; empty: no symbol holds the address
  uint64_t start = 0;  // its first address, in the same terms as the question
};

// Answers in the order of `addresses`, which are pcs minus load_bias, in any order, repeats
// allowed.
Result<std::vector<ResolvedSymbol>> ResolveSymbols(const ElfImage& image,
                                                   const std::vector<uint64_t>& addresses);

// As above for a loaded library: from its file, or the vDSO's memory, and for one without .symtab
// from its separate debug file first. An error if neither is there, or the file is no longer the
// one that was loaded (another build id).
Result<std::vector<ResolvedSymbol>> ResolveSymbols(const Library& library,
                                                   const std::vector<uint64_t>& addresses);

}  // namespace jprof
