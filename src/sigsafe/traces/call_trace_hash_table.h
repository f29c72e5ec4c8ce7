// CallTraceHashTable: the distinct stacks of one epoch.
//
// Put: Async-signal-safe, Thread-safe, lock-free, under the RefCountGuard of the table. Find:
// Thread-safe. Neither allocates: arena and index are regions of the table's owner, who makes the
// index larger while handlers use the table (UseIndex) and empties the table between two epochs
// (Begin).
//
// Invariants:
//  1. A slot of the index goes from empty to one finished record with one compare-and-swap, and
//     stays: there is no state "being written", so a Put that interrupts another on the same
//     thread never waits.
//  2. Different frames never share an id: frames are compared, the hash only says where to look.
//     Equal frames have one id, except where a Put met the moment in which the index was replaced:
//     such a stack may be stored a second time.
//  3. An id says where its record lies in the arena, so it outlives every index, and none is issued
//     twice in an epoch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/memory/arena.h"
#include "sigsafe/memory/region.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/traces/trace_index.h"

namespace jprof {

// A stored stack, in the arena; constant once published. The frames follow, callee first.
struct CallTrace {
  uint64_t hash;  // never 0
  uint32_t frame_count;
  bool truncated;  // frames at the root are missing

  const Frame* frames() const { return reinterpret_cast<const Frame*>(this + 1); }
  Frame* frames() { return reinterpret_cast<Frame*>(this + 1); }

  static constexpr size_t SizeFor(uint32_t frame_count);
};

static_assert(sizeof(CallTrace) == 16);

constexpr size_t CallTrace::SizeFor(uint32_t frame_count) {
  return sizeof(CallTrace) + frame_count * sizeof(Frame);
}

class CallTraceHashTable {
 public:
  CallTraceHashTable() : arena_(Region{nullptr, 0}) {}

  // ---- the owner's, never in a handler

  // An empty table. REQUIRES: epoch > 0 (0 is reserved, types.h); the arena's region is zeroed,
  // `index` is empty; no handler can reach the table.
  void Begin(uint32_t epoch, TraceIndex* index, Region arena);

  // From now on traces are found through `larger`. The old index must stay to the end of the epoch:
  // handlers may be using it. REQUIRES: an empty index of more slots than there are traces.
  void UseIndex(TraceIndex* larger);

  // How full it is.
  uint32_t trace_count() const { return trace_count_.load(std::memory_order_relaxed); }
  size_t arena_used() const { return arena_.used(); }

  // ---- handlers'

  // The id of this stack; kDroppedTrace when there is no room for a new one.
  TraceId Put(const Stack& stack);

  uint32_t epoch() const { return epoch_; }

  // ---- anybody's, while the table holds this epoch

  // The stack that Put returned `id` for; nullptr for an id of another epoch.
  const CallTrace* Find(TraceId id) const;

 private:
  // Longest run of occupied slots that Put looks at: beyond it the index is as good as full.
  static constexpr uint32_t kMaxProbes = 256;

  CallTrace* NewTrace(const Stack& stack, uint64_t hash);
  TraceId IdOf(const CallTrace* trace) const {
    return TraceId{uint64_t{epoch_} << 32 | arena_.PlaceOf(trace)};
  }

  uint32_t epoch_ = 0;
  // release publishes a filled index, acquire by handlers.
  std::atomic<TraceIndex*> index_{nullptr};
  // Written for new traces only.
  alignas(64) Arena arena_;
  std::atomic<uint32_t> trace_count_{0};
};

}  // namespace jprof
