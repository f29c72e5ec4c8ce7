// CallTraceStorage: what the sampling path and the recorder know of stored stacks.
//
// Handlers call Put under the RefCountGuard of the session; the id it returns is carried by samples
// and resolved by the recorder with Find. One table per session for now.
#pragma once

#include "sigsafe/traces/call_trace_hash_table.h"

namespace jprof {

class CallTraceStorage {
 public:
  // As for CallTraceHashTable.
  CallTraceStorage(uint32_t epoch, Region slots, Region arena) : table_(epoch, slots, arena) {}

  // Async-signal-safe, Thread-safe. kDroppedTrace when storage is full.
  TraceId Put(const Stack& stack) { return table_.Put(stack); }

  // The stack of an id that Put returned in this session. Thread-safe.
  const CallTrace* Find(TraceId id) const { return table_.Find(id); }

 private:
  CallTraceHashTable table_;
};

}  // namespace jprof
