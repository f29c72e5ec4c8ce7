#include "elf/symbol_finder.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "elf/library_image.h"
#include "elf/memory_symbols.h"
#include "elf/symbol_name.h"

namespace jprof {
namespace {

class Finder {
 public:
  Finder(const ElfImage& image, const std::vector<WantedVariable>& wanted)
      : image_(image), wanted_(wanted), found_(wanted.size()) {}

  void Search() {
    ForEachSymbol(image_, SHT_SYMTAB, [this](const Elf64_Sym& symbol, const Elf64_Shdr& strings) {
      Consider(symbol, strings);
      return !HasAll();
    });
  }

  std::vector<uint64_t> found() const { return found_; }

 private:
  bool HasAll() const { return std::find(found_.begin(), found_.end(), 0u) == found_.end(); }

  void Consider(const Elf64_Sym& symbol, const Elf64_Shdr& strings) {
    const auto has_size = [&](const WantedVariable& wanted) {
      return wanted.size == symbol.st_size;
    };
    if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || std::ranges::none_of(wanted_, has_size)) {
      return;
    }
    const std::optional<std::string> name = image_.StringAt(strings, symbol.st_name);
    if (!name) return;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (has_size(wanted_[i]) && wanted_[i].name == *name) found_[i] = symbol.st_value;
    }
  }

  const ElfImage& image_;
  const std::vector<WantedVariable>& wanted_;
  std::vector<uint64_t> found_;
};

// Returns the part of `name` after its last ':'. Every mangled form of `name` contains this part,
// so symbols without it need not be demangled.
std::string_view LastPart(std::string_view name) { return name.substr(name.rfind(':') + 1); }

}  // namespace

Result<std::vector<uint64_t>> FindVariables(const Library& library,
                                            const std::vector<WantedVariable>& wanted) {
  const Result<ElfImage> image = OpenLibraryImage(library);
  if (!image) return image.error();
  Finder finder(image.value(), wanted);
  finder.Search();
  std::vector<uint64_t> addresses = finder.found();
  for (uint64_t& address : addresses) {
    if (address != 0) address += library.load_bias;
  }
  return addresses;
}

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
