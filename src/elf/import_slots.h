// Import slots: the places in a loaded object through which it calls functions of other objects.
//
// Read from the dynamic section in memory, so it works for stripped and prelinked objects and
// whatever the file has become since. Covers JUMP_SLOT and GLOB_DAT relocations, with and without
// addend: calls through the PLT, calls without one (-fno-plt), and addresses taken in code. Not
// covered: pointers in initialised data; they are data of the program.
//
// Not for handlers. The object is not trusted: what a table names outside of the object's own
// segments is left out.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace jprof {

struct ImportSlot {
  uintptr_t address;  // of the slot; aligned, within a writable segment
  size_t name;        // which of the names asked for
  // The object's own definition of that name, which the slot need not lead to; 0: it has none.
  uintptr_t own_definition;
};

class LoadedObject {
 public:
  // REQUIRES: the object stays loaded while this is used, as within dl_iterate_phdr.
  explicit LoadedObject(const dl_phdr_info& info);

  // True if [address, address + size) is within one segment that has all of `flags` (PF_R, …).
  bool Holds(uintptr_t address, size_t size, uint32_t flags) const;

  // The slots for any of `names`. A static executable and the vDSO have none.
  std::vector<ImportSlot> FindImports(std::span<const std::string_view> names) const;

 private:
  // What the dynamic section says; addresses as the loader sees them, 0: not there.
  struct DynamicTables;

  DynamicTables ReadDynamic() const;
  uintptr_t Locate(uint64_t value) const;

  uintptr_t load_bias_;
  std::span<const ElfW(Phdr)> headers_;
};

}  // namespace jprof
