// CallTraceHashTable: the distinct stacks of one epoch.
//
// Put: Async-signal-safe, Thread-safe, lock-free. Find: Thread-safe. Neither allocates: slots and
// arena are regions that the owner reserved.
//
// Invariants:
//  1. A slot goes from empty to one finished record with one compare-and-swap, and stays: there is
//     no state "being written", so a Put that interrupts another on the same thread never waits.
//  2. The same frames have one id; different frames never share one (frames are compared, the hash
//     only says where to look).
//  3. An id names the same record as long as the table lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/memory/arena.h"
#include "sigsafe/memory/region.h"
#include "sigsafe/stack/stack_walker.h"

namespace jprof {

// A stored stack, in the arena; constant once published. The frames follow, callee first.
struct CallTrace {
  uint64_t hash;
  uint32_t frame_count;
  uint32_t truncated;  // 1: frames at the root are missing

  const Frame* frames() const { return reinterpret_cast<const Frame*>(this + 1); }
  Frame* frames() { return reinterpret_cast<Frame*>(this + 1); }
};

static_assert(sizeof(CallTrace) == 16);

class CallTraceHashTable {
 public:
  // REQUIRES: both regions zeroed and outliving the table; slots.size / 8 is a power of two;
  // epoch > 0 (epoch 0 is reserved, types.h).
  CallTraceHashTable(uint32_t epoch, Region slots, Region arena);

  // The id of this stack; kDroppedTrace when there is no room for a new one.
  TraceId Put(const Stack& stack);

  // The stack that Put returned `id` for; nullptr for an id of another table.
  const CallTrace* Find(TraceId id) const;

  uint32_t epoch() const { return epoch_; }

 private:
  using Slot = std::atomic<CallTrace*>;
  static_assert(Slot::is_always_lock_free);

  // Longest run of occupied slots that Put looks at: beyond it the table is as good as full.
  static constexpr uint32_t kMaxProbes = 256;

  CallTrace* NewTrace(const Stack& stack, uint64_t hash);
  TraceId IdOf(uint32_t index) const { return TraceId{uint64_t{epoch_} << 32 | index}; }

  const uint32_t epoch_;
  const uint32_t mask_;
  Slot* const slots_;  // release publishes a finished record, acquire reads it
  Arena arena_;
};

}  // namespace jprof
