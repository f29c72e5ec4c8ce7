// CallTraceStorage: the handlers' side of stack storage: which table is the active one.
//
// Async-signal-safe, Thread-safe. A handler enters a guard on the active table, and everything that
// belongs to one sample happens inside: reading the epoch and the clock, Put, and handing the
// sample on. The other side (traces/trace_rotation.h) exchanges the table under running handlers
// and reclaims the old one when no guard holds it.
#pragma once

#include <atomic>

#include "sigsafe/memory/ref_count_guard.h"
#include "sigsafe/traces/call_trace_hash_table.h"

namespace jprof {

class CallTraceStorage {
 public:
  using Guard = RefCountGuard<CallTraceHashTable>;

  constexpr CallTraceStorage() = default;

  // The active table, kept while the guard lives; false while nothing is sampled. `cells`: the
  // calling thread's own.
  Guard Enter(GuardCells& cells) const { return Guard(cells, active_); }

  // relaxed: a first look, to spare the walk; Enter asks again.
  bool active() const { return active_.load(std::memory_order_relaxed) != nullptr; }

  // ---- for TraceRotation; seq_cst, the partner of the cells (ref_count_guard.h)

  void Activate(CallTraceHashTable* table) { active_.store(table, std::memory_order_seq_cst); }

  // False, and nothing changed, if `from` is not the active table.
  bool Exchange(CallTraceHashTable* from, CallTraceHashTable* to) {
    return active_.compare_exchange_strong(from, to, std::memory_order_seq_cst);
  }

 private:
  std::atomic<CallTraceHashTable*> active_{nullptr};
};

}  // namespace jprof
