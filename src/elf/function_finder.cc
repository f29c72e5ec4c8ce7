#include "elf/function_finder.h"

#include <algorithm>
#include <string>

#include "elf/debug_file.h"
#include "elf/library_image.h"
#include "elf/memory_symbols.h"
#include "elf/symbol_name.h"
#include "elf/symbol_reader.h"

namespace jprof {
namespace {

// What every mangled form of the name contains. Spares demangling all names.
std::string_view LastPart(std::string_view name) { return name.substr(name.rfind(':') + 1); }

}  // namespace

std::vector<uint64_t> FindFunctions(const Library& library, std::string_view name) {
  std::vector<uint64_t> addresses;
  const auto add = [&](const ElfImage& image, uint32_t type) {
    ForEachSymbol(image, type, [&](const Elf64_Sym& symbol, const Elf64_Shdr& strings) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) return true;
      const std::string mangled = image.StringAt(strings, symbol.st_name).value_or("");
      if (mangled.find(LastPart(name)) == std::string::npos) return true;
      if (DemangledName(mangled) != name) return true;
      const uint64_t address = symbol.st_value + library.load_bias;
      if (std::ranges::count(addresses, address) == 0) addresses.push_back(address);
      return true;
    });
  };
  Result<ElfImage> image = OpenLibraryImage(library);
  if (!image) image = ReadMemorySymbols(library);
  if (image) add(image.value(), SHT_SYMTAB);
  if (image) add(image.value(), SHT_DYNSYM);
  if (!addresses.empty()) return addresses;
  const Result<ElfImage> debug = OpenDebugFile(library, image ? &image.value() : nullptr);
  if (debug) add(debug.value(), SHT_SYMTAB);
  return addresses;
}

}  // namespace jprof
