// SlotReserve owns the memory of the thread slots. It populates the pages of slots before the slots
// are used, so that neither a signal handler nor a starting thread takes a page fault for a slot.
//
// KeepAhead is called at start and by the task watcher, by one thread at a time; the other
// functions are thread-safe. The object is leaked on purpose, like the slots.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/result.h"
#include "os/pages.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {

class SlotReserve {
 public:
  // After KeepAhead, at least this many slots beyond the highest slot ever used are populated.
  static constexpr size_t kAhead = 1024;

  static Result<SlotReserve*> Create() {
    Result<Pages> pages = Pages::Reserve(ThreadSlots::kRegionSize);
    if (!pages) return pages.error();
    return new SlotReserve(std::move(pages).value());
  }

  ThreadSlots& slots() { return slots_; }

  // Populates up to 2 * kAhead slots beyond the highest slot ever used, so that most calls find
  // nothing to do.
  void KeepAhead() {
    const size_t needed = std::min(slots_.HighWater() + kAhead, ThreadSlots::kCapacity);
    if (populated_ >= needed) return;
    const size_t until = std::min(needed + kAhead, ThreadSlots::kCapacity);
    pages_.Populate(populated_ * sizeof(ThreadSlot), until * sizeof(ThreadSlot));
    populated_ = until;
  }

  size_t ResidentBytes() const { return pages_.ResidentBytes(); }

 private:
  explicit SlotReserve(Pages pages) : pages_(std::move(pages)), slots_(pages_.region()) {}

  const Pages pages_;
  ThreadSlots slots_;
  size_t populated_ = 0;  // slots with populated pages
};

}  // namespace jprof
