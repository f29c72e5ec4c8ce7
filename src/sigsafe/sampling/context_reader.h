// PutContext: the trace context of the running thread, into the table of stacks.
//
// Async-signal-safe, bounded, under the guard of the table; on the thread itself.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "sigsafe/call_traces/call_trace_hash_table.h"
#include "sigsafe/sampling/context_block.h"

namespace jprof {

// The order of the words of a context, each a frame of kind kContext: the id is the word. Words at
// the end are left out if they are 0, and there are no tags.
enum ContextWord : uint32_t {
  kSpanIdWord,
  kLocalRootWord,
  kTraceHighWord,  // of the trace id, big-endian as W3C has it
  kTraceLowWord,
  kFirstTagWord,  // the attributes, 8 bytes a word; bci of the first word of all is their size
};

// Why samples have no context although their thread may have one; relaxed: plain counters, taken
// with exchange(0). The first two count samples, the last one contexts that a thread wanted to set.
struct MissingContexts {
  std::atomic<uint64_t> unknown_virtual_thread{0};  // which one is mounted cannot be read
  std::atomic<uint64_t> no_room{0};                 // in the table of stacks
  std::atomic<uint64_t> no_memory{0};               // or no place in the table of virtual threads
};
MissingContexts& TheMissingContexts();

// Handlers read contexts from the first start with context=1 on. Relaxed.
bool ContextsAreRead();
void SetContextsAreRead();

// Who is sampled: a virtual thread by its id, or (0) a platform thread.
struct ContextOwner {
  int64_t virtual_thread = 0;
  bool is_unknown = false;  // the JVM does not tell here whether it is a virtual thread
};

// 0: no context. Else the place of the words in the table, plus 1.
uint32_t PutContext(CallTraceHashTable& table, const ContextOwner& owner);

// The id under which the table has the words of `context`, which was put together with `trace`.
inline CallTraceId ContextIdOf(CallTraceId trace, uint32_t context) {
  if (context == 0) return kNoCallTrace;
  return CallTraceId{(Value(trace) & ~uint64_t{0xffffffff}) | (context - 1)};
}

}  // namespace jprof
