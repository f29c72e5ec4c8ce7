// Birth: a sampled object between its allocation and its entry into the table. PendingCallTraces:
// the stacks of such objects, which a rotation must keep.
//
// The sample's stack is stored before the object enters the table, and the epoch can end in
// between: so the stack's id is in a cell of PendingCallTraces from the guard of the sample on,
// until the object is in the table.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "call_traces/preserved_call_traces.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

// PendingCallTraces: cells for the ids of stacks. If all are in use, a stack can be lost.
//
// Thread-safe.
class PendingCallTraces {
 public:
  using Cell = std::atomic<uint64_t>;

  // Returns a cell for the caller alone; nullptr: all are in use.
  Cell* Claim() {
    for (Cell& cell : cells_) {
      uint64_t free = kFree;
      if (cell.compare_exchange_strong(free, Value(kDroppedCallTrace), std::memory_order_relaxed)) {
        return &cell;
      }
    }
    return nullptr;
  }
  // Ends the use of a cell. release, paired with acquire in KeepLive: an id that is gone from its
  // cell is in the table.
  static void Free(Cell* cell) { cell->store(kFree, std::memory_order_release); }

  void KeepLive(LiveCallTraces& live) const {
    for (const Cell& cell : cells_) {
      const uint64_t id = cell.load(std::memory_order_acquire);
      if (id > Value(kDroppedCallTrace)) live.Keep(CallTraceId{id});
    }
  }

 private:
  static constexpr uint64_t kFree = 0;

  std::array<Cell, 64> cells_{};
};

// Birth: used on the allocating thread.
class Birth {
 public:
  explicit Birth(PendingCallTraces& pending) : cell_(pending.Claim()) {}
  Birth(const Birth&) = delete;
  Birth& operator=(const Birth&) = delete;
  ~Birth() {
    if (cell_ != nullptr) PendingCallTraces::Free(cell_);
  }

  // Notes the stored sample, under its guard. relaxed: the end of the guard orders the store before
  // a rotation.
  void OnStored(const Sample& sample) {
    time_ns_ = sample.time_ns;
    thread_ = sample.thread;
    trace_ = sample.trace;
    if (cell_ != nullptr) cell_->store(Value(trace_), std::memory_order_relaxed);
  }
  // Notes that the sample is outside windows and not recorded.
  void OnOutside() { is_outside_ = true; }

  bool is_outside() const { return is_outside_; }
  // Return the time, thread and stack of the sample; 0 and none if the sample was lost.
  Nanos time_ns() const { return time_ns_; }
  SampledThread thread() const { return thread_; }
  CallTraceId trace() const { return trace_; }

 private:
  PendingCallTraces::Cell* const cell_;
  bool is_outside_ = false;
  Nanos time_ns_ = 0;
  SampledThread thread_;
  CallTraceId trace_ = kDroppedCallTrace;
};

}  // namespace jprof
