#include "elf/variable_finder.h"

#include <algorithm>
#include <optional>
#include <string>

#include "elf/library_image.h"
#include "elf/symbol_reader.h"

namespace jprof {
namespace {

class Finder {
 public:
  Finder(const ElfImage& image, const std::vector<std::string_view>& names, uint64_t size)
      : image_(image), names_(names), size_(size), found_(names.size()) {}

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
    if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size != size_) return;
    const std::optional<std::string> name = image_.StringAt(strings, symbol.st_name);
    if (!name) return;
    const auto wanted = std::find(names_.begin(), names_.end(), *name);
    if (wanted != names_.end()) {
      found_[static_cast<size_t>(wanted - names_.begin())] = symbol.st_value;
    }
  }

  const ElfImage& image_;
  const std::vector<std::string_view>& names_;
  const uint64_t size_;
  std::vector<uint64_t> found_;
};

}  // namespace

Result<std::vector<uint64_t>> FindVariables(const Library& library,
                                            const std::vector<std::string_view>& names,
                                            uint64_t size) {
  const Result<ElfImage> image = OpenLibraryImage(library);
  if (!image) return image.error();
  Finder finder(image.value(), names, size);
  finder.Search();
  std::vector<uint64_t> addresses = finder.found();
  for (uint64_t& address : addresses) {
    if (address != 0) address += library.load_bias;
  }
  return addresses;
}

}  // namespace jprof
