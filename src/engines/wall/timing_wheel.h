// TimingWheel: items and the ticks at which they are due, with a list for each of the next ticks.
// The cost of scheduling and taking an item does not depend on the number of items.
//
// An item that is scheduled again stays in its old list as well: the caller compares Due::tick.
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

  // Schedules the item and returns the tick at which it is due. REQUIRES: 1 <= delay <= kMaxDelay.
  int64_t Schedule(uint32_t item, int64_t delay) {
    JPROF_CHECK(1 <= delay && delay <= kMaxDelay);
    const int64_t tick = now_ + delay;
    SlotOf(tick).push_back({item, tick});
    return tick;
  }

  // Advances the time to `tick`, which may skip ticks, and appends the due items to `due`, the
  // earliest first.
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
