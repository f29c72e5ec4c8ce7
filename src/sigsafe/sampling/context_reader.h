// PutContext: stores the trace context of the running thread in the table of stacks.
//
// Async-signal-safe and bounded. Called on the thread itself, under the guard of the table.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "sigsafe/sampling/context_block.h"
#include "sigsafe/stack/call_trace_hash_table.h"

namespace jprof {

// The order of the words of a context. Each word is a frame of kind kContext, whose id is the word.
// Words at the end are left out if they are 0 and there are no tags.
enum ContextWord : uint32_t {
  kSpanIdWord,
  kLocalRootWord,
  kTraceHighWord,  // upper half of the trace id, big-endian as in W3C trace contexts
  kTraceLowWord,   // lower half
  kFirstTagWord,   // attributes, 8 bytes a word; the bci of word 0 is their size
};

// Counts why samples have no context although their thread might have one. The first two members
// count samples, the last one counts contexts that a thread wanted to set. relaxed: plain counters,
// taken with exchange(0).
struct MissingContexts {
  std::atomic<uint64_t> unknown_virtual_thread{0};  // the mounted virtual thread cannot be read
  std::atomic<uint64_t> no_room{0};                 // no room in the table of stacks
  std::atomic<uint64_t> no_memory{0};  // no memory, or no place in the table of virtual threads
};
MissingContexts& TheMissingContexts();

// True if handlers read contexts: from the first start with context=1 on. relaxed.
bool ContextsAreRead();
void SetContextsAreRead();

// The sampled thread: a virtual thread by its id, or (0) a platform thread.
struct ContextOwner {
  int64_t virtual_thread = 0;
  bool is_unknown = false;  // true: the mounted virtual thread cannot be read
};

// Stores the context of `owner`. Returns the place of the words in the table, plus 1; 0: no
// context.
uint32_t PutContext(CallTraceHashTable& table, const ContextOwner& owner);

// Returns the id under which the table has the words of `context`, which was stored in the same
// epoch as `trace`.
inline CallTraceId ContextIdOf(CallTraceId trace, uint32_t context) {
  if (context == 0) return kNoCallTrace;
  return CallTraceId{(Value(trace) & ~uint64_t{0xffffffff}) | (context - 1)};
}

}  // namespace jprof
