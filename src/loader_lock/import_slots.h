// Import slots: the words in a loaded object through which the object calls functions of other
// objects. Each word holds the address of one such function.
//
// The slots are found through the dynamic section in memory, so it does not matter whether the
// object's file is stripped, prelinked, replaced or deleted. Slots of JUMP_SLOT and GLOB_DAT
// relocations, with and without addend, are found: these are used for calls through the PLT, for
// calls without a PLT (-fno-plt), and where code takes the address of a function. Function pointers
// in initialised data are left out, because they belong to the program.
//
// Not for signal handlers. Allocates nothing. The object is not trusted: table entries that point
// outside the object's own segments are ignored.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace jprof {

// The addresses of an object's segments; {0, 0} if the object has no segments.
struct ObjectExtent {
  uintptr_t begin;  // lowest address of the object's segments
  uintptr_t end;    // first address above the segments
};

struct ImportSlot {
  uintptr_t address;  // address of the slot, aligned and within a writable segment
  size_t name;        // index into the requested names
  // Address of the object's own definition of the function; 0 if the object has none. Even if there
  // is one, the slot can be bound to the definition in another object.
  uintptr_t own_definition;
  uintptr_t value;  // content of the slot
  // True if `value` is an address in the code of the slot's own object, other than own_definition.
  // Such a value is the address of the PLT entry that will bind the slot at the first call.
  bool is_lazy;
  ObjectExtent object;  // the object that the slot is in
};

class LoadedObject {
 public:
  // REQUIRES: the object stays loaded while the LoadedObject is used, as it does during
  // dl_iterate_phdr.
  explicit LoadedObject(const dl_phdr_info& info);

  // True if [address, address + size) is within one segment that has all of `flags` (PF_R, …).
  bool Holds(uintptr_t address, size_t size, uint32_t flags) const;

  ObjectExtent Extent() const;

  // Writes the import slots of all functions in `names` to `slots`, as many as fit, and returns the
  // number of all such slots. A static executable and the vDSO have no import slots.
  size_t FindImports(std::span<const std::string_view> names, std::span<ImportSlot> slots) const;

 private:
  // The addresses in memory of the tables that the dynamic section names; 0 if a table is missing.
  struct DynamicTables;

  struct Imports;

  // Adds the slot of the relocation at `relocation_at` to `imports`, if the relocation is an import
  // of one of the names in `imports`.
  void AddImport(const DynamicTables& tables, uintptr_t relocation_at, Imports& imports) const;
  ImportSlot Describe(uintptr_t slot, size_t name, uintptr_t own_definition) const;
  DynamicTables ReadDynamic() const;
  uintptr_t Locate(uint64_t value) const;

  uintptr_t load_bias_;
  std::span<const ElfW(Phdr)> headers_;
};

}  // namespace jprof
