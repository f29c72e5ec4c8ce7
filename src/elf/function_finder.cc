#include "elf/function_finder.h"

#include <algorithm>
#include <optional>
#include <string>

#include "elf/debug_file.h"
#include "elf/library_image.h"
#include "elf/symbol_name.h"
#include "elf/symbol_reader.h"

namespace jprof {
namespace {

// What every mangled form of the name contains: its longest part. Spares demangling all names. The
// name of a constructor is that of its class.
std::string_view LongestPart(std::string_view name) {
  std::string_view longest;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find_first_of(":~", begin), name.size());
    if (end - begin > longest.size()) longest = name.substr(begin, end - begin);
    begin = end + 1;
  }
  return longest;
}

void AddFunctions(const ElfImage& image, std::string_view name, uint64_t load_bias,
                  std::vector<uint64_t>* addresses) {
  const std::string_view part = LongestPart(name);
  for (const uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    ForEachSymbol(image, type, [&](const Elf64_Sym& symbol, const Elf64_Shdr& strings) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) return true;
      const std::optional<std::string> mangled = image.StringAt(strings, symbol.st_name);
      if (!mangled || mangled->find(part) == std::string::npos) return true;
      if (DemangledName(*mangled) != name) return true;
      const uint64_t address = symbol.st_value + load_bias;
      if (std::ranges::count(*addresses, address) == 0) addresses->push_back(address);
      return true;
    });
  }
}

}  // namespace

std::vector<uint64_t> FindFunctions(const Library& library, std::string_view name) {
  std::vector<uint64_t> addresses;
  const Result<ElfImage> image = OpenLibraryImage(library);
  if (image) AddFunctions(image.value(), name, library.load_bias, &addresses);
  if (!addresses.empty() || (image && image.value().SectionOfType(SHT_SYMTAB) != nullptr)) {
    return addresses;
  }
  const Result<ElfImage> debug = OpenDebugFile(library, image ? &image.value() : nullptr);
  if (debug) AddFunctions(debug.value(), name, library.load_bias, &addresses);
  return addresses;
}

}  // namespace jprof
