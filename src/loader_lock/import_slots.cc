#include "loader_lock/import_slots.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "loader_lock/import_relocations.h"

namespace jprof {
namespace {

template <typename T>
T ReadAt(uintptr_t address) {
  T value;
  memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

// Returns the index in `names` of the string at `offset` in the string table; names.size() if the
// string is not in `names`.
size_t NameOf(size_t offset, std::string_view strings, std::span<const std::string_view> names) {
  if (offset >= strings.size()) return names.size();
  const std::string_view text(strings.data() + offset, strings.size() - offset);
  const auto is_text = [&](std::string_view name) {
    return text.size() > name.size() && text.starts_with(name) && text[name.size()] == '\0';
  };
  return static_cast<size_t>(std::ranges::find_if(names, is_text) - names.begin());
}

}  // namespace

struct LoadedObject::DynamicTables {
  struct Relocations {
    uintptr_t begin = 0;
    size_t size = 0;
    size_t stride = 0;    // size of Elf64_Rel or Elf64_Rela, which have the same first two members
    size_t relative = 0;  // number of entries at the start that fill no slot
  };

  Relocations rel = {.stride = sizeof(Elf64_Rel)};
  Relocations rela = {.stride = sizeof(Elf64_Rela)};
  Relocations plt = {.stride = sizeof(Elf64_Rela)};
  uintptr_t symbols = 0;
  uintptr_t strings = 0;
  size_t strings_size = 0;
};

LoadedObject::LoadedObject(const dl_phdr_info& info)
    : load_bias_(info.dlpi_addr), headers_(info.dlpi_phdr, info.dlpi_phnum) {}

bool LoadedObject::Holds(uintptr_t address, size_t size, uint32_t flags) const {
  return std::ranges::any_of(headers_, [&](const ElfW(Phdr) & header) {
    const uintptr_t begin = load_bias_ + header.p_vaddr;
    return header.p_type == PT_LOAD && (header.p_flags & flags) == flags && address >= begin &&
           size <= header.p_memsz && address - begin <= header.p_memsz - size;
  });
}

ObjectExtent LoadedObject::Extent() const {
  ObjectExtent extent{UINTPTR_MAX, 0};
  for (const ElfW(Phdr) & header : headers_) {
    if (header.p_type != PT_LOAD) continue;
    const uintptr_t begin = load_bias_ + header.p_vaddr;
    extent = {std::min(extent.begin, begin), std::max(extent.end, begin + header.p_memsz)};
  }
  return extent.end != 0 ? extent : ObjectExtent{0, 0};
}

// Returns the address of a table of the object. `value` is the value of the entry for this table in
// the dynamic section. Returns 0 if the address is not within the object. glibc adds the load bias
// to most of these values when it loads the object (glibc 2.36 elf/get-dynamic-info.h). musl leaves
// the values relative to the load bias, and so does glibc for the vDSO.
uintptr_t LoadedObject::Locate(uint64_t value) const {
  if (Holds(value, 1, PF_R)) return value;
  return Holds(load_bias_ + value, 1, PF_R) ? load_bias_ + value : 0;
}

LoadedObject::DynamicTables LoadedObject::ReadDynamic() const {
  DynamicTables tables;
  const auto dynamic = std::ranges::find(headers_, ElfW(Word){PT_DYNAMIC}, &ElfW(Phdr)::p_type);
  if (dynamic == headers_.end()) return tables;
  const uintptr_t begin = load_bias_ + dynamic->p_vaddr;
  if (!Holds(begin, dynamic->p_memsz, PF_R)) return tables;
  for (size_t at = 0; at + sizeof(ElfW(Dyn)) <= dynamic->p_memsz; at += sizeof(ElfW(Dyn))) {
    const auto entry = ReadAt<ElfW(Dyn)>(begin + at);
    const uint64_t value = entry.d_un.d_val;
    switch (entry.d_tag) {
      case DT_NULL:
        return tables;
      case DT_SYMTAB:
        tables.symbols = Locate(value);
        break;
      case DT_STRTAB:
        tables.strings = Locate(value);
        break;
      case DT_STRSZ:
        tables.strings_size = value;
        break;
      case DT_REL:
        tables.rel.begin = Locate(value);
        break;
      case DT_RELSZ:
        tables.rel.size = value;
        break;
      case DT_RELCOUNT:
        tables.rel.relative = value;
        break;
      case DT_RELA:
        tables.rela.begin = Locate(value);
        break;
      case DT_RELASZ:
        tables.rela.size = value;
        break;
      case DT_RELACOUNT:
        tables.rela.relative = value;
        break;
      case DT_JMPREL:
        tables.plt.begin = Locate(value);
        break;
      case DT_PLTRELSZ:
        tables.plt.size = value;
        break;
      case DT_PLTREL:
        tables.plt.stride = value == DT_REL ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela);
        break;
      default:
        break;
    }
  }
  return tables;
}

ImportSlot LoadedObject::Describe(uintptr_t slot, size_t name, uintptr_t own_definition) const {
  // The slot belongs to the dynamic linker, which resolves it with a plain store of a word. If the
  // value is the address of a wrapper of the profiler (elf/import_hook.h), acquire pairs with the
  // store of that address (StoreSlot in slot_walk.h).
  const uintptr_t value = std::atomic_ref<uintptr_t>(*reinterpret_cast<uintptr_t*>(slot))
                              .load(std::memory_order_acquire);
  const bool is_lazy = Holds(value, 1, PF_X) && value != own_definition;
  return {slot, name, own_definition, value, is_lazy, Extent()};
}

// The names to find, and the import slots found so far.
struct LoadedObject::Imports {
  std::span<const std::string_view> names;
  std::span<ImportSlot> slots;  // memory for the found slots; only as many as fit are kept
  size_t found = 0;
};

void LoadedObject::AddImport(const DynamicTables& tables, uintptr_t relocation_at,
                             Imports& imports) const {
  const auto relocation = ReadAt<Elf64_Rel>(relocation_at);
  const uint64_t type = ELF64_R_TYPE(relocation.r_info);
  if (type != kJumpSlotRelocation && type != kGlobDatRelocation) return;
  const uintptr_t symbol_at = tables.symbols + ELF64_R_SYM(relocation.r_info) * sizeof(ElfW(Sym));
  if (!Holds(symbol_at, sizeof(ElfW(Sym)), PF_R)) return;
  const auto symbol = ReadAt<ElfW(Sym)>(symbol_at);
  const std::string_view strings(reinterpret_cast<const char*>(tables.strings),
                                 tables.strings_size);
  const size_t name = NameOf(symbol.st_name, strings, imports.names);
  const uintptr_t slot = load_bias_ + relocation.r_offset;
  if (name == imports.names.size() || slot % sizeof(void*) != 0) return;
  if (!Holds(slot, sizeof(void*), PF_R | PF_W)) return;
  const bool defined = symbol.st_shndx != SHN_UNDEF;
  const uintptr_t own_definition = defined ? load_bias_ + symbol.st_value : 0;
  if (imports.found < imports.slots.size()) {
    imports.slots[imports.found] = Describe(slot, name, own_definition);
  }
  ++imports.found;
}

size_t LoadedObject::FindImports(std::span<const std::string_view> names,
                                 std::span<ImportSlot> slots) const {
  const DynamicTables tables = ReadDynamic();
  if (tables.symbols == 0 || !Holds(tables.strings, tables.strings_size, PF_R)) return 0;
  Imports imports{names, slots};
  for (const DynamicTables::Relocations& table : {tables.rel, tables.rela, tables.plt}) {
    if (table.begin == 0 || !Holds(table.begin, table.size, PF_R)) continue;
    const size_t count = table.size / table.stride;
    for (size_t i = table.relative; i < count; ++i) {
      AddImport(tables, table.begin + i * table.stride, imports);
    }
  }
  return imports.found;
}

}  // namespace jprof
