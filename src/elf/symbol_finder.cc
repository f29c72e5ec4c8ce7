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

// Strings reads strings of a string table. It keeps the bytes that it has read last, so that strings
// in ascending order cost few reads of the file.
class Strings {
 public:
  Strings(const ElfImage& image, const Elf64_Shdr& table) : image_(image), table_(table) {}

  // Returns true if the string at `offset` is `text`.
  bool Equals(uint64_t offset, std::string_view text) {
    const size_t size = text.size() + 1;
    if (size > kBlock || !Covers(offset, size)) return false;
    const char* at = block_.data() + (offset - begin_);
    return text == std::string_view(at, text.size()) && at[text.size()] == '\0';
  }

 private:
  static constexpr size_t kBlock = 16 << 10;  // bytes

  // Makes block_ cover [offset, offset + size), unless this lies outside the table.
  bool Covers(uint64_t offset, size_t size) {
    if (offset >= table_.sh_size || size > table_.sh_size - offset) return false;
    if (offset >= begin_ && offset - begin_ + size <= block_.size()) return true;
    begin_ = offset;
    block_.resize(std::min<uint64_t>(kBlock, table_.sh_size - offset));
    if (image_.Read(table_, offset, block_.data(), block_.size())) return true;
    block_.clear();
    return false;
  }

  const ElfImage& image_;
  const Elf64_Shdr& table_;
  uint64_t begin_ = 0;  // offset of the first byte of block_
  std::vector<char> block_;
};

class Finder {
 public:
  Finder(const ElfImage& image, const std::vector<WantedVariable>& wanted)
      : image_(image), wanted_(wanted), found_(wanted.size()) {}

  void Search() {
    std::vector<Elf64_Sym> candidates;
    const Elf64_Shdr* table = nullptr;
    ForEachSymbol(image_, SHT_SYMTAB, [&](const Elf64_Sym& symbol, const Elf64_Shdr& strings) {
      table = &strings;
      if (IsCandidate(symbol)) candidates.push_back(symbol);
      return true;
    });
    if (table == nullptr) return;
    std::ranges::sort(candidates, {}, &Elf64_Sym::st_name);
    Strings strings(image_, *table);
    for (const Elf64_Sym& symbol : candidates) Consider(symbol, strings);
  }

  std::vector<uint64_t> found() const { return found_; }

 private:
  bool IsCandidate(const Elf64_Sym& symbol) const {
    return ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
           std::ranges::count(wanted_, symbol.st_size, &WantedVariable::size) != 0;
  }

  void Consider(const Elf64_Sym& symbol, Strings& strings) {
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (wanted_[i].size == symbol.st_size && strings.Equals(symbol.st_name, wanted_[i].name)) {
        found_[i] = symbol.st_value;
      }
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
