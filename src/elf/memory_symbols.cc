#include "elf/memory_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jprof {
namespace {

constexpr uint64_t kMaxDynamic = 64 << 10;  // bytes of the dynamic section, usually some hundreds
constexpr uint64_t kMaxChain = 4096;        // symbols of one bucket, usually a few

// Reads the memory of a library while it is loaded.
class LibraryMemory {
 public:
  explicit LibraryMemory(const Library& library) : library_(library) {}

  // Returns all `size` bytes at `address`. Returns nullopt if the bytes are not within the library
  // or not readable, or if the library has been unloaded.
  std::optional<std::vector<uint8_t>> Read(uint64_t address, uint64_t size) const {
    if (address < library_.base || address > library_.top || size > library_.top - address) {
      return std::nullopt;
    }
    std::vector<uint8_t> bytes;
    const bool is_loaded = LibraryMap::CopyWhileLoaded(library_, {address, address + size}, &bytes);
    if (!is_loaded || bytes.size() != size) return std::nullopt;
    return bytes;
  }

  template <typename T>
  std::optional<std::vector<T>> ReadArray(uint64_t address, uint64_t count) const {
    if (count > kMaxMemorySymbols / sizeof(T)) return std::nullopt;
    const auto bytes = Read(address, count * sizeof(T));
    if (!bytes) return std::nullopt;
    std::vector<T> array(count);
    if (count != 0) memcpy(array.data(), bytes->data(), bytes->size());
    return array;
  }

  // Returns the address that a value of the dynamic section stands for. glibc has relocated the
  // value; other dynamic linkers have not (loader_lock/import_slots.cc).
  uint64_t Locate(uint64_t value) const {
    const bool is_relocated = library_.base <= value && value < library_.top;
    return is_relocated ? value : library_.load_bias + value;
  }

 private:
  const Library& library_;
};

struct DynamicTables {
  uint64_t symbols = 0;
  uint64_t strings = 0;
  uint64_t strings_size = 0;
  uint64_t hash = 0;
  uint64_t gnu_hash = 0;
};

std::optional<DynamicTables> FindTables(const Library& library, const LibraryMemory& memory) {
  const uint64_t size = library.dynamic.end - library.dynamic.begin;
  if (size == 0 || size > kMaxDynamic) return std::nullopt;
  const auto entries = memory.ReadArray<Elf64_Dyn>(library.dynamic.begin, size / sizeof(Elf64_Dyn));
  if (!entries) return std::nullopt;
  DynamicTables tables;
  for (const Elf64_Dyn& entry : *entries) {
    const uint64_t value = entry.d_un.d_val;
    switch (entry.d_tag) {
      case DT_SYMTAB:
        tables.symbols = memory.Locate(value);
        break;
      case DT_STRTAB:
        tables.strings = memory.Locate(value);
        break;
      case DT_STRSZ:
        tables.strings_size = value;
        break;
      case DT_HASH:
        tables.hash = memory.Locate(value);
        break;
      case DT_GNU_HASH:
        tables.gnu_hash = memory.Locate(value);
        break;
      default:
        break;
    }
    if (entry.d_tag == DT_NULL) break;
  }
  if (tables.symbols == 0 || tables.strings == 0) return std::nullopt;
  return tables;
}

// Returns the number of symbols in the table. The library does not store this number. It is one
// more than the index of the last symbol in the hash table. The last hash of a chain is odd
// (binutils 2.40, bfd/elflink.c, elf_gnu_hash_process_symidx).
std::optional<uint64_t> CountByGnuHash(uint64_t table, const LibraryMemory& memory) {
  struct Header {
    uint32_t buckets;
    uint32_t first_symbol;
    uint32_t bloom_words;
    uint32_t bloom_shift;
  };
  const auto headers = memory.ReadArray<Header>(table, 1);
  if (!headers) return std::nullopt;
  const Header& header = headers->front();
  const uint64_t buckets_at = table + sizeof header + uint64_t{header.bloom_words} * 8;
  const auto buckets = memory.ReadArray<uint32_t>(buckets_at, header.buckets);
  if (!buckets || buckets->empty()) return std::nullopt;
  uint64_t last = std::ranges::max(*buckets);
  if (last < header.first_symbol) return header.first_symbol;  // only imported symbols
  const uint64_t chains_at = buckets_at + uint64_t{header.buckets} * sizeof(uint32_t);
  for (uint64_t step = 0; step < kMaxChain; ++step, ++last) {
    const auto hash =
        memory.ReadArray<uint32_t>(chains_at + (last - header.first_symbol) * sizeof(uint32_t), 1);
    if (!hash) return std::nullopt;
    if ((hash->front() & 1) != 0) return last + 1;
  }
  return std::nullopt;
}

std::optional<uint64_t> CountSymbols(const DynamicTables& tables, const LibraryMemory& memory) {
  if (tables.hash != 0) {
    if (const auto counts = memory.ReadArray<uint32_t>(tables.hash, 2)) return counts->at(1);
  }
  if (tables.gnu_hash != 0) return CountByGnuHash(tables.gnu_hash, memory);
  return std::nullopt;
}

template <typename T>
void Append(const std::vector<T>& from, std::vector<char>& to) {
  const auto* const begin = reinterpret_cast<const char*>(from.data());
  to.insert(to.end(), begin, begin + from.size() * sizeof(T));
}

// The sections of the file that Pack makes.
enum Section : uint16_t { kNone, kSymbols, kStrings, kCode, kSectionCount };

Elf64_Shdr SectionOf(uint32_t type, uint64_t offset, uint64_t size) {
  Elf64_Shdr section{};
  section.sh_type = type;
  section.sh_offset = offset;
  section.sh_size = size;
  return section;
}

// Returns an ELF file that contains the symbols, their names, and a section that stands for all
// code.
std::vector<char> Pack(std::vector<Elf64_Sym> symbols, const std::vector<uint8_t>& strings,
                       const Library& library) {
  for (Elf64_Sym& symbol : symbols) {
    if (symbol.st_shndx == SHN_UNDEF) continue;
    const uint64_t address = symbol.st_value + library.load_bias;
    const bool is_code = std::ranges::any_of(library.executable, [=](const AddressRange& range) {
      return range.begin <= address && address < range.end;
    });
    symbol.st_shndx = static_cast<uint16_t>(is_code ? uint32_t{kCode} : uint32_t{SHN_ABS});
  }
  Elf64_Ehdr header{};
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  const uint64_t symbols_at = sizeof header;
  const uint64_t strings_at = symbols_at + symbols.size() * sizeof(Elf64_Sym);
  header.e_shoff = (strings_at + strings.size() + 7) & ~uint64_t{7};
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kSectionCount;

  std::vector<Elf64_Shdr> sections(kSectionCount);
  sections[kSymbols] = SectionOf(SHT_DYNSYM, symbols_at, strings_at - symbols_at);
  sections[kSymbols].sh_link = kStrings;
  sections[kSymbols].sh_entsize = sizeof(Elf64_Sym);
  sections[kStrings] = SectionOf(SHT_STRTAB, strings_at, strings.size());
  if (!library.executable.empty()) {
    const uint64_t begin = library.executable.front().begin;
    sections[kCode] = SectionOf(SHT_NOBITS, 0, library.executable.back().end - begin);
    sections[kCode].sh_addr = begin - library.load_bias;
  }
  sections[kCode].sh_flags = SHF_ALLOC | SHF_EXECINSTR;

  std::vector<char> file;
  file.reserve(header.e_shoff + kSectionCount * sizeof(Elf64_Shdr));
  Append(std::vector<Elf64_Ehdr>{header}, file);
  Append(symbols, file);
  Append(strings, file);
  file.resize(header.e_shoff);
  Append(sections, file);
  return file;
}

}  // namespace

Result<ElfImage> ReadMemorySymbols(const Library& library) {
  const LibraryMemory memory(library);
  const std::optional<DynamicTables> tables = FindTables(library, memory);
  if (!tables) return Error(library.path + " has no symbols in memory");
  const std::optional<uint64_t> count = CountSymbols(*tables, memory);
  if (!count) return Error(library.path + ": the number of its symbols is not known");
  auto symbols = memory.ReadArray<Elf64_Sym>(tables->symbols, *count);
  const auto strings = memory.ReadArray<uint8_t>(tables->strings, tables->strings_size);
  if (!symbols || !strings) return Error(library.path + ": its symbols cannot be read");
  return ElfImage::Parse(ByteSource::Copy(Pack(std::move(*symbols), *strings, library)),
                         library.path);
}

}  // namespace jprof
