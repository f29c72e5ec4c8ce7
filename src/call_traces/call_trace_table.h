// CallTraceTable: owns one CallTraceHashTable and its memory.
//
// Owned by CallTraceRotation, whose threads take turns in using it; handlers use only `table()`.
// The memory is reserved address space; KeepAhead backs it with RAM ahead of handlers, so that they
// neither allocate nor wait for the kernel to clear a page. A handler that overtakes KeepAhead
// takes a page fault, and is refused when the reserved space is used up.
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

  // Backs the memory that will be used next, and enlarges the index in time. Takes a few
  // microseconds if nothing is due. May run while handlers use the table.
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
  Pages index_;  // the consecutive indexes of one epoch
  CallTraceHashTable table_;
  uint32_t slots_ = 0;          // slots of the index in use
  size_t index_used_ = 0;       // bytes of index_
  size_t arena_populated_ = 0;  // bytes of arena_ that are backed
};

}  // namespace jprof
