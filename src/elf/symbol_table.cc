#include "elf/symbol_table.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "elf/library_image.h"
#include "elf/symbol_name.h"
#include "sigsafe/base/check.h"

namespace jprof {
namespace {

// A symbol that can be the answer for an address.
struct SymbolCandidate {
  uint64_t start = 0;
  uint64_t size = 0;         // 0: unknown
  uint64_t section_end = 0;  // bounds a symbol without a size
  uint64_t name = 0;         // offset in its string table
  uint32_t string_table = 0;
  uint32_t rank = 0;  // 0: no symbol
};

// AddressResolver finds the symbol for each of a set of addresses. It needs one pass over the
// symbols, in any order, and memory proportional to the number of addresses only.
//
// Not synchronized. Rules, in this order:
//  1. A symbol with a size covers [start, start + size). If several symbols cover an address, the
//     innermost wins: the symbol with the highest start.
//  2. A symbol without a size extends to the next symbol or the end of its section.
//  3. Among symbols with the same start, the highest rank wins; among those with the same start
//     and rank, the symbol that was added first.
class AddressResolver {
 public:
  // `sorted`: the addresses in ascending order, without duplicates.
  explicit AddressResolver(std::vector<uint64_t> sorted);

  // Adds a symbol. Returns false once too many symbols overlap: the work then exceeds what any sane
  // file needs. REQUIRES: symbol.rank > 0.
  [[nodiscard]] bool Add(const SymbolCandidate& symbol);

  // Returns the symbol of each address, in the order of the addresses. A result with rank 0 means
  // that no symbol covers the address. REQUIRES: all symbols have been added.
  std::vector<SymbolCandidate> Results() const;

 private:
  struct Slot {
    SymbolCandidate holding;    // best symbol by rule 1
    SymbolCandidate preceding;  // best symbol that starts between the previous address and this one
  };

  std::vector<uint64_t> addresses_;
  std::vector<Slot> slots_;  // parallel to addresses_
  uint64_t updates_ = 0;
};

// Enough for 10,000 addresses that each lie in 1,600 symbols.
constexpr uint64_t kMaxUpdates = uint64_t{1} << 24;

void KeepBetter(const SymbolCandidate& offered, SymbolCandidate* kept) {
  const bool better = kept->rank == 0 || offered.start > kept->start ||
                      (offered.start == kept->start && offered.rank > kept->rank);
  if (better) *kept = offered;
}

AddressResolver::AddressResolver(std::vector<uint64_t> sorted)
    : addresses_(std::move(sorted)), slots_(addresses_.size()) {}

bool AddressResolver::Add(const SymbolCandidate& symbol) {
  JPROF_CHECK(symbol.rank > 0);
  const auto first = std::ranges::lower_bound(addresses_, symbol.start);
  if (first == addresses_.end()) return true;
  auto i = static_cast<size_t>(first - addresses_.begin());
  KeepBetter(symbol, &slots_[i].preceding);
  for (; i < addresses_.size() && addresses_[i] - symbol.start < symbol.size; ++i) {
    KeepBetter(symbol, &slots_[i].holding);
    if (++updates_ > kMaxUpdates) return false;
  }
  return true;
}

std::vector<SymbolCandidate> AddressResolver::Results() const {
  std::vector<SymbolCandidate> answers;
  answers.reserve(slots_.size());
  SymbolCandidate nearest;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].preceding.rank != 0) nearest = slots_[i].preceding;
    const bool reaches = nearest.size == 0 && addresses_[i] < nearest.section_end;
    if (slots_[i].holding.rank != 0) {
      answers.push_back(slots_[i].holding);
    } else {
      answers.push_back(reaches ? nearest : SymbolCandidate());
    }
  }
  return answers;
}

// Returns the rank of the symbol; 0 if the symbol names no code. The symbol with the highest rank
// gives the best name for an address.
uint32_t RankOf(const Elf64_Sym& symbol, bool in_code) {
  const int type = ELF64_ST_TYPE(symbol.st_info);
  const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
  if (!is_function && !(type == STT_NOTYPE && in_code)) return 0;
  const int binding = ELF64_ST_BIND(symbol.st_info);
  const uint32_t by_binding = binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;
  return 1 + (symbol.st_size != 0 ? 8u : 0u) + (is_function ? 4u : 0u) + by_binding;
}

// True for symbols that mark where code and data begin ($x, $d; ELF for the Arm 64-bit
// Architecture, "Mapping symbols"). The function does not look at the names of symbols, because
// names are read only for chosen symbols.
bool IsMappingSymbol(const ElfImage& image, const Elf64_Sym& symbol) {
  return image.machine() == EM_AARCH64 && symbol.st_size == 0 &&
         ELF64_ST_TYPE(symbol.st_info) == STT_NOTYPE && ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
}

SymbolCandidate CandidateFrom(const ElfImage& image, const Elf64_Sym& symbol) {
  SymbolCandidate candidate;
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_name == 0) return candidate;
  if (IsMappingSymbol(image, symbol)) return candidate;
  const Elf64_Shdr* section = image.SectionAt(symbol.st_shndx);
  const bool in_code = section != nullptr && (section->sh_flags & SHF_EXECINSTR) != 0;
  candidate.start = symbol.st_value;
  candidate.size = symbol.st_size;
  candidate.section_end = in_code ? section->sh_addr + section->sh_size : 0;
  candidate.name = symbol.st_name;
  candidate.rank = RankOf(symbol, in_code);
  return candidate;
}

// Adds every symbol of `table`.
Status AddAll(const ElfImage& image, const Elf64_Shdr& table, AddressResolver* resolver) {
  if (table.sh_entsize != sizeof(Elf64_Sym)) {
    return Error(image.name() + ": symbols of unknown size");
  }
  const uint64_t count = table.sh_size / sizeof(Elf64_Sym);
  if (count > kMaxSymbols) return Error(image.name() + ": more symbols than any program has");
  std::vector<Elf64_Sym> symbols(std::min<uint64_t>(count, kSymbolsPerRead));
  for (uint64_t done = 0; done < count; done += symbols.size()) {
    symbols.resize(std::min<uint64_t>(count - done, kSymbolsPerRead));
    if (!image.Read(table, done * sizeof(Elf64_Sym), symbols.data(),
                    symbols.size() * sizeof(Elf64_Sym))) {
      return Error(image.name() + ": its symbols lie outside the file");
    }
    for (const Elf64_Sym& symbol : symbols) {
      SymbolCandidate candidate = CandidateFrom(image, symbol);
      candidate.string_table = table.sh_link;
      if (candidate.rank != 0 && !resolver->Add(candidate)) {
        return Error(image.name() + ": too many symbols overlap");
      }
    }
  }
  return {};
}

// NameReader reads and demangles each name once.
class NameReader {
 public:
  explicit NameReader(const ElfImage& image) : image_(image) {}

  // Returns the name of the symbol; empty if the file has no such string. REQUIRES: symbol.rank >
  // 0.
  const std::string& NameOf(const SymbolCandidate& symbol) {
    JPROF_CHECK(symbol.rank > 0);
    auto [entry, is_new] = names_.try_emplace({symbol.string_table, symbol.name});
    const Elf64_Shdr* strings = image_.SectionAt(symbol.string_table);
    if (is_new && strings != nullptr) {
      entry->second = DemangledName(image_.StringAt(*strings, symbol.name).value_or(""));
    }
    return entry->second;
  }

 private:
  const ElfImage& image_;
  std::map<std::pair<uint32_t, uint64_t>, std::string> names_;
};

}  // namespace

Result<std::vector<ResolvedSymbol>> ResolveSymbols(const ElfImage& image,
                                                   const std::vector<uint64_t>& addresses) {
  std::vector<uint64_t> sorted = addresses;
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());

  AddressResolver resolver(sorted);
  for (const uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    const Elf64_Shdr* table = image.SectionOfType(type);
    if (table == nullptr) continue;
    const Status offered = AddAll(image, *table, &resolver);
    if (!offered.ok()) return offered.error();
  }
  const std::vector<SymbolCandidate> winners = resolver.Results();

  NameReader names(image);
  std::vector<ResolvedSymbol> resolved(addresses.size());
  for (size_t i = 0; i < addresses.size(); ++i) {
    const auto winner = std::ranges::lower_bound(sorted, addresses[i]) - sorted.begin();
    const SymbolCandidate& symbol = winners[static_cast<size_t>(winner)];
    if (symbol.rank != 0) resolved[i] = {names.NameOf(symbol), symbol.start};
  }
  return resolved;
}

Result<std::vector<ResolvedSymbol>> ResolveSymbols(const Library& library, const ElfImage* image,
                                                   const std::vector<uint64_t>& addresses) {
  const bool is_whole = image != nullptr &&
                        (image->SectionOfType(SHT_SYMTAB) != nullptr || library.path == kVdsoPath);
  std::vector<ResolvedSymbol> resolved(addresses.size());
  if (!is_whole) {
    const Result<ElfImage> debug = OpenDebugFile(library, image);
    if (!debug && image == nullptr) return debug.error();
    if (debug) {
      Result<std::vector<ResolvedSymbol>> symbols = ResolveSymbols(debug.value(), addresses);
      if (symbols) resolved = std::move(symbols).value();
    }
  }
  if (image == nullptr) return resolved;
  const Result<std::vector<ResolvedSymbol>> own = ResolveSymbols(*image, addresses);
  if (!own) return own.error();
  for (size_t i = 0; i < resolved.size(); ++i) {
    if (resolved[i].name.empty()) resolved[i] = own.value()[i];
  }
  return resolved;
}

Result<std::vector<ResolvedSymbol>> ResolveSymbols(const Library& library,
                                                   const std::vector<uint64_t>& addresses) {
  const Result<ElfImage> image = OpenLibraryImage(library);
  Result<std::vector<ResolvedSymbol>> resolved =
      ResolveSymbols(library, image ? &image.value() : nullptr, addresses);
  if (!resolved && !image) return image.error();
  return resolved;
}

}  // namespace jprof
