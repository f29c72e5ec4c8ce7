// CallTraceIndex: the hash slots by which a table finds its call traces, with open addressing.
//
// The index lies in a region of the table's owner: this header, then the slots. A slot changes
// once, from empty to a complete call trace, by a compare-and-swap. A larger index replaces a full
// one (CallTraceHashTable::UseIndex).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/memory/region.h"

namespace jprof {

struct CallTrace;

struct CallTraceIndex {
  using Slot = std::atomic<CallTrace*>;
  static_assert(Slot::is_always_lock_free);

  static constexpr size_t RegionSize(uint32_t slots) {
    return sizeof(CallTraceIndex) + slots * sizeof(Slot);
  }

  // Makes an index in `region`. REQUIRES: `slots` is a power of two; the region is zeroed and has
  // at least RegionSize(slots) bytes.
  static CallTraceIndex* In(Region region, uint32_t slots) {
    JPROF_CHECK(slots != 0 && (slots & (slots - 1)) == 0 && region.size >= RegionSize(slots));
    auto* index = static_cast<CallTraceIndex*>(region.data);
    index->mask = slots - 1;
    return index;
  }

  // Returns slot `i`. A call trace is stored with release once it is complete, and loaded with
  // acquire.
  Slot& At(uint64_t i) { return reinterpret_cast<Slot*>(this + 1)[i]; }

  uint64_t mask;  // number of slots - 1; as wide as a slot, so that no padding follows
};

}  // namespace jprof
