// PutContext stores the trace context of the running thread in the table of stacks.
//
// Async-signal-safe and bounded. Called on the thread itself, under the guard of the table.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "sigsafe/sampling/context_block.h"
#include "sigsafe/stack/call_trace_hash_table.h"

namespace jprof {

// The order of the words of a context. A context is stored like a stack: each word is the id of a
// frame of kind kContext. If the trace id is 0 and there are no tags, the words of both are left
// out.
enum ContextWord : uint32_t {
  kSpanIdWord,
  kLocalRootWord,
  kTraceHighWord,  // upper half of the trace id (big-endian in the record)
  kTraceLowWord,   // lower half of the trace id
  kFirstTagWord,   // attributes, 8 bytes per word; their size in bytes is the bci of kSpanIdWord
};

// Counts two things: samples that have no context although their thread might have one, and
// contexts that could not be set. relaxed: plain counters, taken with exchange(0).
struct MissingContexts {
  // Samples for which the mounted virtual thread could not be read.
  std::atomic<uint64_t> unknown_virtual_thread{0};
  // Samples for whose context the table of stacks had no room.
  std::atomic<uint64_t> no_room{0};
  // Contexts that a thread could not set, because there was no memory for a block or no place in
  // VirtualContexts.
  std::atomic<uint64_t> no_memory{0};
};
MissingContexts& TheMissingContexts();

// True once a recording with the option `context=1` has been started: handlers then read contexts.
// relaxed: orders no other data.
bool ContextsAreRead();
void SetContextsAreRead();

// The thread whose context is stored.
struct ContextOwner {
  int64_t virtual_thread = 0;  // threadId() of a virtual thread; 0 for a platform thread
  bool is_unknown = false;     // true if a virtual thread might be mounted but cannot be read
};

// Stores the context of `owner`. Returns 1 plus the place of its words in the table; 0 if there is
// no context.
uint32_t PutContext(CallTraceHashTable& table, const ContextOwner& owner);

// Returns the id under which the table has the words of a context. `context` is a result of
// PutContext in the epoch of `trace`.
inline CallTraceId ContextIdOf(CallTraceId trace, uint32_t context) {
  if (context == 0) return kNoCallTrace;
  return CallTraceId{(Value(trace) & ~uint64_t{0xffffffff}) | (context - 1)};
}

}  // namespace jprof
