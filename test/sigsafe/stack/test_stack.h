// TestStack, SmallTable: synthetic stacks, and a small hash table to put them in.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "sigsafe/stack/call_trace_hash_table.h"
#include "sigsafe/stack/call_trace_storage.h"
#include "support/guarded_page.h"

namespace jprof::test {

struct TestStack {
  std::vector<Frame> frames;
  bool truncated = false;

  Stack AsStack() const { return {frames.data(), static_cast<uint32_t>(frames.size()), truncated}; }
};

// Returns a stack of `depth` frames. Stacks of different seeds have no frame in common.
inline TestStack StackOf(uint64_t seed, uint32_t depth = 5) {
  TestStack stack;
  for (uint32_t i = 0; i < depth; ++i) {
    stack.frames.push_back({seed << 20 | i, static_cast<int32_t>(i), FrameKind::kJava});
  }
  return stack;
}

inline bool Same(const CallTrace* trace, const TestStack& stack) {
  return trace != nullptr && trace->frame_count == stack.frames.size() &&
         trace->truncated == stack.truncated &&
         (stack.frames.empty() || std::memcmp(trace->frames(), stack.frames.data(),
                                              stack.frames.size() * sizeof(Frame)) == 0);
}

// Puts a stack into the active table, under the guard, as a handler does. Returns kDroppedCallTrace
// if no table is active.
inline CallTraceId PutInActive(const CallTraceStorage& storage, GuardCells& cells,
                               const Stack& stack) {
  const CallTraceStorage::Guard table = storage.Enter(cells);
  return table ? table->Put(stack) : kDroppedCallTrace;
}

// A CallTraceHashTable with memory of its own. REQUIRES: `slots` is a power of two.
class SmallTable {
 public:
  SmallTable(uint32_t slots, size_t arena_bytes, uint32_t epoch = 7)
      : index_(CallTraceIndex::RegionSize(slots)), arena_(arena_bytes) {
    table_.Begin(epoch, CallTraceIndex::In(index_.region(), slots), arena_.region());
  }

  CallTraceHashTable* operator->() { return &table_; }
  CallTraceId Put(const TestStack& stack) { return table_.Put(stack.AsStack()); }

 private:
  GuardedPage index_;
  GuardedPage arena_;
  CallTraceHashTable table_;
};

}  // namespace jprof::test
