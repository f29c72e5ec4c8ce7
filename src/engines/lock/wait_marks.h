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

namespace jprof {

class WaitMarks {
 public:
  explicit WaitMarks(size_t groups)
      : groups_(groups),
        marks_(std::make_unique<std::atomic<uint8_t>[]>(groups)),
        is_checked_(std::make_unique<bool[]>(groups)) {}

  // Does not write to a mark that is set, so that threads that wait at the same time seldom write
  // to the same line of the cache.
  void Set(size_t group) {
    std::atomic<uint8_t>& mark = marks_[group];
    if (mark.load(std::memory_order_relaxed) == 0) mark.store(1, std::memory_order_relaxed);
  }

  // Returns the address of the marks, one byte for each group.
  const void* data() const { return marks_.get(); }

  // Calls visit(group) for each marked group, and removes the mark unless visit returns true. A
  // Set can have seen the old mark just before it is removed. So the group is visited once more at
  // the next call.
  template <typename Visit>
  void VisitMarked(Visit&& visit) {
    for (size_t group = 0; group < groups_; ++group) {
      std::atomic<uint8_t>& mark = marks_[group];
      const bool is_marked = mark.load(std::memory_order_relaxed) != 0;
      if (!is_marked && !is_checked_[group]) continue;
      // seq_cst: orders the store before the loads of visit. So a wait that visit does not see sets
      // the mark after this store.
      if (is_marked) mark.exchange(0, std::memory_order_seq_cst);
      const bool is_awaited = visit(group);
      is_checked_[group] = is_marked && !is_awaited;
      if (is_awaited) mark.store(1, std::memory_order_relaxed);
    }
  }

 private:
  const size_t groups_;
  // The other accesses are relaxed: a mark is only a hint.
  const std::unique_ptr<std::atomic<uint8_t>[]> marks_;
  // True for a group whose mark the last visit has removed.
  const std::unique_ptr<bool[]> is_checked_;
};

}  // namespace jprof
