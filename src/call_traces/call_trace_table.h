// CallTraceTable owns one CallTraceHashTable and its memory.
//
// A CallTraceRotation owns the table and uses it on one thread at a time; signal handlers use only
// `table()`. The memory is reserved address space. KeepAhead backs the memory with RAM before
// handlers use it, so that handlers neither allocate nor wait until the kernel has cleared a page.
// A handler that is faster than KeepAhead takes a page fault. Once the reserved address space is
// used up, the table refuses further stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/result.h"
#include "os/pages.h"
#include "sigsafe/stack/call_trace_hash_table.h"

namespace jprof {

class CallTraceTable {
 public:
  // Makes a table that uses at most `bytes` of memory.
  static Result<std::unique_ptr<CallTraceTable>> Reserve(size_t bytes);

  // Prepares an empty table for `epoch`. REQUIRES: the table is cleared or new.
  void Begin(uint32_t epoch);

  // Backs the memory that will be used next, and makes a larger index when the present one fills
  // up. Takes a few microseconds if there is nothing to do. Can run while handlers use the table.
  void KeepAhead();

  // Releases the memory. REQUIRES: no handler can reach the table.
  void Clear();

  // True if the table will soon refuse stacks of handlers.
  bool nearly_full() const;

  // Returns the RAM used now. Called by any thread.
  size_t ResidentBytes() const { return arena_.ResidentBytes() + index_.ResidentBytes(); }

  CallTraceHashTable& table() { return table_; }
  const CallTraceHashTable& table() const { return table_; }

 private:
  CallTraceTable(Pages arena, Pages index) : arena_(std::move(arena)), index_(std::move(index)) {}

  CallTraceIndex* NewIndex(uint32_t slots);
  bool HasRoomForIndex(uint32_t slots) const;

  Pages arena_;
  Pages index_;  // the indexes of one epoch, one after another
  CallTraceHashTable table_;
  uint32_t slots_ = 0;          // slots of the index in use
  size_t index_used_ = 0;       // bytes of index_
  size_t arena_populated_ = 0;  // bytes of arena_ that are backed
};

}  // namespace jprof
