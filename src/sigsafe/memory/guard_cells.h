// GuardCells: the objects that a thread uses now, one cell per nesting depth of its handlers.
//
// GuardCells is a member of the thread's slot. Only that thread writes the cells (RefCountGuard);
// the reclaiming thread reads them (IsHeld). A nested handler uses the next cell, so it never
// overwrites the pointer of the handler that it has interrupted.
#pragma once

#include <atomic>
#include <cstdint>

namespace jprof {

struct GuardCells {
  // Profiling signals mask each other, so one level is the usual case. The other levels are for
  // profiling signals that interrupt callbacks of the VM.
  static constexpr uint32_t kMaxDepth = 4;

  // The guard stores its pointer with seq_cst, and IsHeld loads with seq_cst: both are ordered with
  // the seq_cst exchange of the guarded pointer (ref_count_guard.h).
  std::atomic<const void*> cell[kMaxDepth];

  // The index of the next free cell. Only the owning thread and its own signal handlers use
  // `depth`, and each handler restores the value before it returns. So `depth` is atomic only to
  // constrain the compiler.
  std::atomic<uint32_t> depth;
};

static_assert(std::atomic<const void*>::is_always_lock_free);

// Returns true if any nesting level of this thread still uses `resource`. Called after the pointer
// through which handlers find `resource` has been exchanged (seq_cst). Once IsHeld has returned
// false, no valid guard of this thread holds `resource`. (A handler can still store `resource` in
// its cell, but its second load of the pointer then returns another value, and the guard is not
// valid.)
inline bool IsHeld(const GuardCells& cells, const void* resource) {
  for (const auto& cell : cells.cell) {
    if (cell.load(std::memory_order_seq_cst) == resource) return true;
  }
  return false;
}

}  // namespace jprof
