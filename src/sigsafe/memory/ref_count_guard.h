// RefCountGuard: keeps the object behind an atomic pointer alive while a handler uses the object.
//
//   RefCountGuard<Table> guard(thread->guards, active_table);
//   if (!guard) return;            // no table is active, or the guard was refused
//   guard->Put(...);
//
// The constructor stores the active pointer in the thread's cell and then reads the active pointer
// again. If the active pointer is unchanged, the object cannot be reclaimed before the cell is
// cleared:
//
//   handler                               scanner
//   cell = p            (seq_cst)         old = active.exchange(next)   (seq_cst)
//   active == p ?       (seq_cst)         wait while any cell == old    (seq_cst)
//
// In the total order of these operations there are two cases. If the handler's second read comes
// after the exchange, the handler sees another pointer and retries. If the second read comes before
// the exchange, the store to the cell comes before the scanner's read of the cell, and the scanner
// waits. Release/acquire alone would not order the handler's store with its second read: a store
// buffer can swap a store and a later load of another location.
//
// Async-signal-safe. Used by the thread that owns the cells. Invariants:
//  1. An object is never reclaimed while a guard holds it: the scanner has no timeout after which
//     it proceeds.
//  2. No longjmp may cross a live guard: walk the stack first, enter the guard second.
#pragma once

#include <atomic>

#include "sigsafe/base/check.h"
#include "sigsafe/memory/guard_cells.h"

namespace jprof {

template <typename T>
class RefCountGuard {
 public:
  RefCountGuard(GuardCells& cells, const std::atomic<T*>& active) : cells_(cells) {
    const uint32_t depth = cells.depth.load(std::memory_order_relaxed);
    if (depth >= GuardCells::kMaxDepth) {
      refused_ = true;
      return;
    }
    // The cell is taken before it is written (the seq_cst store below keeps the order): from here
    // on a handler that interrupts this one uses the next cell.
    cells.depth.store(depth + 1, std::memory_order_relaxed);
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      T* candidate = active.load(std::memory_order_seq_cst);
      refused_ = candidate != nullptr;
      if (!refused_) break;
      cells.cell[depth].store(candidate, std::memory_order_seq_cst);
      if (active.load(std::memory_order_seq_cst) == candidate) {
        resource_ = candidate;
        refused_ = false;
        return;
      }
    }
    Leave(depth);
  }

  ~RefCountGuard() {
    if (resource_ != nullptr) Leave(cells_.depth.load(std::memory_order_relaxed) - 1);
  }

  RefCountGuard(const RefCountGuard&) = delete;
  RefCountGuard& operator=(const RefCountGuard&) = delete;

  explicit operator bool() const { return resource_ != nullptr; }
  T* operator->() const { return resource_; }
  T* get() const { return resource_; }

  // True if the guard holds no resource although one was active: too many handlers were nested, or
  // the pointer changed too often.
  bool refused() const { return refused_; }

  // The nesting level: no other handler of this thread is inside a guard of the same level.
  // REQUIRES: the guard holds a resource.
  uint32_t level() const {
    JPROF_CHECK(resource_ != nullptr);
    return cells_.depth.load(std::memory_order_relaxed) - 1;
  }

 private:
  // A retry happens only if the pointer is exchanged between its two adjacent reads. Exchanges are
  // milliseconds apart.
  static constexpr int kMaxAttempts = 4;

  void Leave(uint32_t depth) {
    // release: all use of the resource happens before the scanner sees the cell empty.
    cells_.cell[depth].store(nullptr, std::memory_order_release);
    // release: the cell is cleared before a handler that interrupts this one can take it.
    cells_.depth.store(depth, std::memory_order_release);
  }

  GuardCells& cells_;
  T* resource_ = nullptr;
  bool refused_ = false;
};

}  // namespace jprof
