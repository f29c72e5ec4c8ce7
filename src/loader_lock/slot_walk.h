// FindSlots finds the import slots (import_slots.h) of all loaded objects in one walk; StoreSlots
// stores to such slots in another walk. Between the two walks the caller decides what to store.
//
// An object can be unloaded between the two walks, and another object can be loaded at the same
// address. So the caller passes the same `additions` to both walks: the number of objects that had
// been loaded (ReadLoadCounts) at or before the first walk. Both walks visit only objects that are
// certain to be among the first `additions` objects. So if both walks see an object at the same
// address, it is the same object.
//
// Not for signal handlers. REQUIRES: one thread at a time calls StoreSlots.
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
  uintptr_t own_data;  // address in the profiler's writable data; the profiler's slots are left out
};

struct SlotCounts {
  size_t slots = 0;
  uint64_t added_since = 0;  // objects loaded after the first `additions`
};

// Writes the import slots of `search.names` to `found`, as many as fit. SlotCounts::slots of the
// result is the number of all such slots.
SlotCounts FindSlots(const SlotSearch& search, std::span<ImportSlot> found);

enum class StoreOutcome : uint8_t {
  kNotSeen,    // the slot's object was unloaded, or might be one that was loaded later
  kChanged,    // the slot had a value other than the expected one, and keeps it
  kProtected,  // the protection of the slot's page cannot be changed
  kStored,
};

struct SlotStore {
  uintptr_t slot;      // aligned address
  uintptr_t expected;  // value that the slot must have for the store to happen
  uintptr_t value;     // value to store
  int protection;      // PROT_ bits of the slot's page, before and after the store
  StoreOutcome outcome = StoreOutcome::kNotSeen;
};

// Performs the stores, each atomically (release), and sets their outcomes. Returns the number of
// objects loaded after the first `additions`.
// REQUIRES: `stores` are in ascending order of `slot`; the pages of the slots have the given
// protections.
uint64_t StoreSlots(uint64_t additions, std::span<SlotStore> stores);

// Performs one store and returns its outcome. REQUIRES: the page of the slot has the given
// protection and stays mapped.
StoreOutcome StoreSlot(const SlotStore& store);

}  // namespace jprof
