// TimingWheel returns items when they are due. It keeps a list of items for each of the next ticks,
// so the cost of an item does not depend on the number of items.
//
// Schedule does not remove an item from the list in which an earlier call put it. Therefore the
// caller must ignore a Due unless its `tick` equals the result of the last Schedule of the item.
//
// Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sigsafe/base/check.h"

namespace jprof {

class TimingWheel {
 public:
  static constexpr int64_t kSlots = 128;
  static constexpr int64_t kMaxDelay = kSlots - 1;

  struct Due {
    uint32_t item;
    int64_t tick;  // the value that Schedule returned
  };

  explicit TimingWheel(int64_t now) : now_(now) {}

  int64_t now() const { return now_; }

  // Schedules the item and returns the tick at which the item is due. REQUIRES: 1 <= delay <=
  // kMaxDelay.
  int64_t Schedule(uint32_t item, int64_t delay) {
    JPROF_CHECK(1 <= delay && delay <= kMaxDelay);
    const int64_t tick = now_ + delay;
    SlotOf(tick).push_back({item, tick});
    return tick;
  }

  // Advances the time to `tick`, which may be more than one tick ahead, and appends the items that
  // are due by then to `due`, in the order of their ticks.
  void AdvanceTo(int64_t tick, std::vector<Due>* due) {
    const int64_t last = tick < now_ + kSlots ? tick : now_ + kSlots;
    for (int64_t each = now_ + 1; each <= last; ++each) {
      std::vector<Due>& slot = SlotOf(each);
      due->insert(due->end(), slot.begin(), slot.end());
      slot.clear();
    }
    if (tick > now_) now_ = tick;
  }

 private:
  std::vector<Due>& SlotOf(int64_t tick) { return slots_[static_cast<size_t>(tick % kSlots)]; }

  int64_t now_;
  std::array<std::vector<Due>, kSlots> slots_;
};

}  // namespace jprof
