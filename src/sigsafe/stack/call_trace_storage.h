// CallTraceStorage: the active table of call traces (stacks), which handlers fill.
//
// Async-signal-safe, thread-safe. A handler enters a guard on the active table, and takes the whole
// sample inside the guard: epoch, clock, Put and Push. Outside handlers, CallTraceRotation
// (call_traces/call_trace_rotation.h) exchanges the table while handlers run, and reclaims the old
// table when no guard holds it.
#pragma once

#include <atomic>

#include "sigsafe/memory/ref_count_guard.h"
#include "sigsafe/stack/call_trace_hash_table.h"

namespace jprof {

class CallTraceStorage {
 public:
  using Guard = RefCountGuard<CallTraceHashTable>;

  constexpr CallTraceStorage() = default;

  // Returns a guard that keeps the active table alive; the guard converts to false if no table is
  // active or the guard was refused. `cells` are those of the calling thread.
  Guard Enter(GuardCells& cells) const { return Guard(cells, active_); }

  // True if a table is active. relaxed: an early check that saves the walk; Enter checks again.
  bool active() const { return active_.load(std::memory_order_relaxed) != nullptr; }

  // --- for CallTraceRotation; seq_cst, because the total order of these stores and the guards'
  // --- accesses to their cells keeps a held table alive (ref_count_guard.h)

  void Activate(CallTraceHashTable* table) { active_.store(table, std::memory_order_seq_cst); }

  // Makes `to` the active table. Returns false, and changes nothing, if `from` is not the active
  // table.
  bool Exchange(CallTraceHashTable* from, CallTraceHashTable* to) {
    return active_.compare_exchange_strong(from, to, std::memory_order_seq_cst);
  }

 private:
  std::atomic<CallTraceHashTable*> active_{nullptr};
};

}  // namespace jprof
