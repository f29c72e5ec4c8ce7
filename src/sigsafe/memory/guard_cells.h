// GuardCells: the objects that a thread uses now, one cell per nesting depth of its handlers.
//
// A member of the thread's slot, written by that thread alone (RefCountGuard), read by the
// reclaiming thread (IsHeld). Cells, not a counter: a nested handler takes the next cell, so the
// outer pointer is never overwritten.
#pragma once

#include <atomic>
#include <cstdint>

namespace jprof {

struct GuardCells {
  // Profiling signals mask each other, so one level is the usual case. The other levels serve
  // callbacks of the VM that a profiling signal interrupts.
  static constexpr uint32_t kMaxDepth = 4;

  // seq_cst on both sides; the partner is the exchange of the guarded pointer (RefCountGuard).
  std::atomic<const void*> cell[kMaxDepth];

  // The next free cell. Only the owning thread and its own signal handlers touch it, and each
  // restores it: atomic only for the compiler.
  std::atomic<uint32_t> depth;
};

static_assert(std::atomic<const void*>::is_always_lock_free);

// Whether any nesting level of this thread still uses `resource`. Called after the pointer through
// which handlers find `resource` has been exchanged (seq_cst): once false, no valid guard holds
// `resource`. (A handler may still write `resource` into its cell; its second read of the pointer
// then fails.)
inline bool IsHeld(const GuardCells& cells, const void* resource) {
  for (const auto& cell : cells.cell) {
    if (cell.load(std::memory_order_seq_cst) == resource) return true;
  }
  return false;
}

}  // namespace jprof
