// CallTraceHashTable: the distinct stacks of one epoch.
//
// Put is async-signal-safe, thread-safe and lock-free. It is called while a RefCountGuard holds the
// table. Find is thread-safe. Neither function allocates: the arena and the index lie in memory
// that the table's owner provides. The owner replaces the index by a larger one while handlers use
// the table (UseIndex), and empties the table between two epochs (Begin).
//
// Invariants:
//  1. A slot of the index changes once, from empty to a complete record, by one compare-and-swap:
//     there is no state "being written", so a Put that interrupts another Put on the same thread
//     never waits.
//  2. Different stacks never share an id: frames are compared, the hash only selects slots. Equal
//     stacks share an id, except during the replacement of the index: a stack might then be stored
//     a second time.
//  3. An id consists of the epoch and the place of the record in the arena. So the id stays valid
//     when the index is replaced, and is unique.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/memory/arena.h"
#include "sigsafe/memory/region.h"
#include "sigsafe/stack/call_trace_index.h"
#include "sigsafe/stack/method_records.h"
#include "sigsafe/stack/stack_walker.h"

namespace jprof {

// A stored stack, in the arena; constant once published. Its frames follow it in memory, callee
// first.
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

  // ---- for the owner, never in a handler

  // Empties the table. REQUIRES: epoch > 0 (0 is reserved, types.h); the arena's region is zeroed,
  // `index` is empty; no handler can reach the table.
  void Begin(uint32_t epoch, CallTraceIndex* index, Region arena);

  // Replaces the index. The old index must live until the end of the epoch: handlers may be using
  // it. REQUIRES: `larger` is empty and has more slots than the table has call traces.
  void UseIndex(CallTraceIndex* larger);

  // The fill level: the number of call traces, and the used bytes of the arena.
  uint32_t trace_count() const { return trace_count_.load(std::memory_order_relaxed); }
  size_t arena_used() const { return arena_.used(); }

  // ---- for handlers

  // Stores the stack unless it is stored already, and returns its id; kDroppedCallTrace if there is
  // no room. If the stack has methods (Stack::methods), their names are stored, too.
  CallTraceId Put(const Stack& stack);

  uint32_t epoch() const { return epoch_; }

  // ---- for any caller, until the next Begin

  // Returns the call trace of `id`; nullptr if the id is of another epoch.
  const CallTrace* Find(CallTraceId id) const;

  // Returns the names of a method that occurs in a stored stack; nullptr if the table does not have
  // them.
  const MethodRecord* FindMethod(uint64_t id) const { return methods_.Find(id, arena_); }

 private:
  // The longest run of occupied slots that Put searches: beyond it the index counts as full.
  static constexpr uint32_t kMaxProbes = 256;

  CallTrace* NewCallTrace(const Stack& stack, uint64_t hash);
  CallTraceId IdOf(const CallTrace* trace) const {
    return CallTraceId{uint64_t{epoch_} << 32 | arena_.PlaceOf(trace)};
  }

  uint32_t epoch_ = 0;
  // Stored with release once the index is filled, loaded with acquire by handlers.
  std::atomic<CallTraceIndex*> index_{nullptr};
  // arena_ and trace_count_ are written only when a new call trace is stored, so they are not in
  // the cache line of epoch_ and index_.
  alignas(64) Arena arena_;
  std::atomic<uint32_t> trace_count_{0};
  MethodRecords methods_;
};

}  // namespace jprof
