// WaitMarks shows the looker (holder_looks.h) where waits have begun, so that it need not search
// all places of a table of waits. A table is divided into groups of places, and each group has a
// mark.
//
// Set is called on a waiting thread, after the wait is in the table. A probe in Java sets a mark by
// its address. VisitMarked is called by the looker alone. Takes no lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "sigsafe/base/check.h"

namespace jprof {

class WaitMarks {
 public:
  // REQUIRES: `groups` is a multiple of 8.
  explicit WaitMarks(size_t groups)
      : groups_(groups),
        words_(std::make_unique<std::atomic<uint64_t>[]>(groups / kMarksPerWord)),
        is_checked_(std::make_unique<bool[]>(groups)) {
    JPROF_CHECK(groups % kMarksPerWord == 0);
  }

  // Does not write to a mark that is set, so that threads that wait at the same time seldom write
  // to the same line of the cache.
  void Set(size_t group) {
    std::atomic<uint8_t>& mark = MarkOf(group);
    if (mark.load(std::memory_order_relaxed) == 0) mark.store(1, std::memory_order_relaxed);
  }

  // Returns the address of the marks, one byte for each group.
  const void* data() const { return words_.get(); }

  // True if VisitMarked would visit a group.
  bool IsAnyMarked() const {
    if (checked_ != 0) return true;
    uint64_t any = 0;
    for (size_t i = 0; i < groups_ / kMarksPerWord; ++i) {
      any |= words_[i].load(std::memory_order_relaxed);
    }
    return any != 0;
  }

  // Calls visit(group) for each marked group, and removes the mark unless visit returns true. A
  // Set can have seen the old mark just before it is removed. So the group is visited once more at
  // the next call.
  template <typename Visit>
  void VisitMarked(Visit&& visit) {
    if (!IsAnyMarked()) return;
    for (size_t group = 0; group < groups_; ++group) {
      std::atomic<uint8_t>& mark = MarkOf(group);
      const bool is_marked = mark.load(std::memory_order_relaxed) != 0;
      if (!is_marked && !is_checked_[group]) continue;
      // seq_cst: orders the store before the loads of visit. So a wait that visit does not see sets
      // the mark after this store.
      if (is_marked) mark.exchange(0, std::memory_order_seq_cst);
      const bool is_awaited = visit(group);
      checked_ -= is_checked_[group] ? 1 : 0;
      is_checked_[group] = is_marked && !is_awaited;
      checked_ += is_checked_[group] ? 1 : 0;
      if (is_awaited) mark.store(1, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr size_t kMarksPerWord = sizeof(uint64_t);
  static_assert(sizeof(std::atomic<uint8_t>) == 1 && sizeof(std::atomic<uint64_t>) == 8);

  std::atomic<uint8_t>& MarkOf(size_t group) const {
    return reinterpret_cast<std::atomic<uint8_t>*>(words_.get())[group];
  }

  const size_t groups_;
  // The marks, one byte each. They are read as words to find out whether any is set. The other
  // accesses are relaxed: a mark is only a hint.
  const std::unique_ptr<std::atomic<uint64_t>[]> words_;
  // True for a group whose mark the last visit has removed; the number of these groups.
  const std::unique_ptr<bool[]> is_checked_;
  size_t checked_ = 0;
};

}  // namespace jprof
