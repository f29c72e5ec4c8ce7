#include "call_traces/call_trace_table.h"

#include <algorithm>
#include <utility>

namespace jprof {
namespace {

constexpr uint32_t kFirstSlots = 1 << 14;
constexpr uint32_t kGrowthFactor = 4;

// The index grows when a quarter of its slots are taken. The other three quarters have room for the
// stacks that come until KeepAhead is called again.
constexpr uint32_t kGrowAtFraction = 4;

// The number of bytes of the arena that are backed before they are used. Half of these bytes hold
// 320 stacks of 50 frames. KeepAhead is called 50 times a second, so this is enough for 16 000 new
// stacks a second. Early in an epoch, handlers also store the names of methods there.
constexpr size_t kArenaAhead = 512 << 10;
constexpr size_t kArenaLowWater = kArenaAhead / 2;

// True if more than three quarters of the arena or the index are used.
constexpr bool NearlyFull(size_t used, size_t capacity) { return used > capacity / 4 * 3; }

}  // namespace

// Gives a quarter of the memory to the index. An index slot takes 8 bytes, so a quarter suffices if
// stacks have 12 frames or more.
Result<std::unique_ptr<CallTraceTable>> CallTraceTable::Reserve(size_t bytes) {
  Result<Pages> arena = Pages::Reserve(bytes / 4 * 3);
  if (!arena) return arena.error();
  Result<Pages> index =
      Pages::Reserve(std::max(bytes / 4, CallTraceIndex::RegionSize(kFirstSlots)));
  if (!index) return index.error();
  return std::unique_ptr<CallTraceTable>(
      new CallTraceTable(std::move(arena).value(), std::move(index).value()));
}

void CallTraceTable::Begin(uint32_t epoch) {
  table_.Begin(epoch, NewIndex(kFirstSlots), arena_.region());
  KeepAhead();
}

bool CallTraceTable::HasRoomForIndex(uint32_t slots) const {
  return index_.region().size - index_used_ >= CallTraceIndex::RegionSize(slots);
}

CallTraceIndex* CallTraceTable::NewIndex(uint32_t slots) {
  const size_t size = CallTraceIndex::RegionSize(slots);
  index_.Populate(index_used_, index_used_ + size);
  auto* start = static_cast<uint8_t*>(index_.region().data) + index_used_;
  index_used_ += size;
  slots_ = slots;
  return CallTraceIndex::In({start, size}, slots);
}

void CallTraceTable::KeepAhead() {
  if (table_.trace_count() > slots_ / kGrowAtFraction && HasRoomForIndex(slots_ * kGrowthFactor)) {
    table_.UseIndex(NewIndex(slots_ * kGrowthFactor));
  }
  const size_t used = table_.arena_used();
  if (arena_populated_ < used + kArenaLowWater) {
    arena_.Populate(arena_populated_, used + kArenaAhead);
    arena_populated_ = used + kArenaAhead;
  }
}

void CallTraceTable::Clear() {
  arena_.Discard(std::max(arena_populated_, table_.arena_used()));
  index_.Discard(index_used_);
  arena_populated_ = 0;
  index_used_ = 0;
}

bool CallTraceTable::nearly_full() const {
  return NearlyFull(table_.arena_used(), arena_.region().size) ||
         (NearlyFull(table_.trace_count(), slots_) && !HasRoomForIndex(slots_ * kGrowthFactor));
}

}  // namespace jprof
