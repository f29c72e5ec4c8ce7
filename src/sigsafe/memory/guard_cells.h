// GuardCells: what a thread is using right now, one cell per nesting depth of its handlers.
//
// A member of the thread's record, written by that thread alone (RefCountGuard), read by the thread
// that wants to reclaim (IsHeld). A cell and no count: a nested handler takes the next cell, so the
// outer pointer is never overwritten.
#pragma once

#include <atomic>
#include <cstdint>

namespace jprof {

struct GuardCells {
  // Profiling signals mask each other, so one level is the rule; the others are for callbacks
  // of the VM that are interrupted by a profiling signal.
  static constexpr uint32_t kMaxDepth = 4;

  // seq_cst on both sides; the partner is the exchange of the guarded pointer (RefCountGuard).
  std::atomic<const void*> cell[kMaxDepth];

  // The next free cell. Only the owning thread and its own signal handlers touch it, each leaving
  // it as found: atomic for the compiler alone.
  std::atomic<uint32_t> depth;
};

static_assert(std::atomic<const void*>::is_always_lock_free);

// Whether any nesting level of this thread still uses `resource`. Call it after the pointer through
// which handlers find `resource` has been exchanged (seq_cst): once false, no valid guard holds it
// any more. (A handler may still write it into its cell, and will then find out.)
inline bool IsHeld(const GuardCells& cells, const void* resource) {
  for (const auto& cell : cells.cell) {
    if (cell.load(std::memory_order_seq_cst) == resource) return true;
  }
  return false;
}

}  // namespace jprof
