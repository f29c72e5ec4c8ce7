// Finds import slots in all loaded objects, and stores to them, each in one walk. A caller decides
// between the two, outside of the walks, what it stores.
//
// An object can be unloaded between the walks, and another be loaded at its place. So a caller
// passes `additions`, a number of objects that had been loaded (ReadLoadCounts) at or before the
// first walk, to both: they see only objects that are certain to be among these. An object with a
// given address that both walks see is the same object.
//
// Not for handlers; the callers of StoreSlots take turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "loader_lock/import_slots.h"

namespace jprof {

struct SlotSearch {
  std::span<const std::string_view> names;
  uint64_t additions;
  uintptr_t own_data;  // an address in a writable segment of the object that is left out
};

struct SlotCounts {
  size_t slots = 0;
  uint64_t added_since = 0;  // objects loaded since `additions`; up to so many are left out
};

// Writes the slots to `found`, as many as fit, and returns how many there are.
SlotCounts FindSlots(const SlotSearch& search, std::span<ImportSlot> found);

enum class StoreOutcome : uint8_t {
  kNotSeen,    // its object is unloaded, or is not certain to be the same
  kChanged,    // the slot had a value other than the expected one, and keeps it
  kProtected,  // its page cannot be made writable
  kStored,
};

struct SlotStore {
  uintptr_t slot;  // aligned
  uintptr_t expected;
  uintptr_t value;
  int protection;  // of the page of the slot: PROT_ bits, which the page has again after the store
  StoreOutcome outcome = StoreOutcome::kNotSeen;
};

// Performs the stores, each atomically (release), and sets their outcomes. Returns the number of
// objects loaded since `additions`.
// REQUIRES: `stores` ascend by slot; the pages of the slots have the given protections.
uint64_t StoreSlots(uint64_t additions, std::span<SlotStore> stores);

// Performs one store. REQUIRES: as above; the slot stays mapped.
StoreOutcome StoreSlot(const SlotStore& store);

}  // namespace jprof
