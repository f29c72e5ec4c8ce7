#include "elf/symbol_reader.h"

#include <algorithm>
#include <vector>

namespace jprof {

void ForEachSymbol(const ElfImage& image, uint32_t type, const VisitSymbol& visit) {
  const Elf64_Shdr* table = image.SectionOfType(type);
  if (table == nullptr || table->sh_entsize != sizeof(Elf64_Sym)) return;
  const Elf64_Shdr* strings = image.SectionAt(table->sh_link);
  const uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  if (strings == nullptr || count > kMaxSymbols) return;
  std::vector<Elf64_Sym> symbols;
  for (uint64_t done = 0; done < count; done += symbols.size()) {
    symbols.resize(std::min<uint64_t>(count - done, kSymbolsPerRead));
    if (!image.Read(*table, done * sizeof(Elf64_Sym), symbols.data(),
                    symbols.size() * sizeof(Elf64_Sym))) {
      return;
    }
    for (const Elf64_Sym& symbol : symbols) {
      if (!visit(symbol, *strings)) return;
    }
  }
}

}  // namespace jprof
