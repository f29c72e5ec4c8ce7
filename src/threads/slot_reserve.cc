#include "threads/slot_reserve.h"

#include <algorithm>
#include <utility>

namespace jprof {

Result<SlotReserve*> SlotReserve::Create() {
  Result<Pages> pages = Pages::Reserve(ThreadSlots::kRegionSize);
  if (!pages) return pages.error();
  return new SlotReserve(std::move(pages).value());
}

// Populates twice the number of slots that kAhead demands, so that most calls find nothing to do.
void SlotReserve::KeepAhead() {
  const size_t needed = std::min(slots_.HighWater() + kAhead, ThreadSlots::kCapacity);
  if (populated_ >= needed) return;
  const size_t until = std::min(needed + kAhead, ThreadSlots::kCapacity);
  pages_.Populate(populated_ * sizeof(ThreadSlot), until * sizeof(ThreadSlot));
  populated_ = until;
}

}  // namespace jprof
