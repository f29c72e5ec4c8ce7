// ThreadWaits: the exact number and time of all waits, by thread and type: sampled or not. Virtual
// threads have sums together.
//
//   a wait ends ─▶ Add ─▶ the cell of its thread ─ Take, each chunk ─▶ profiler.ThreadWaits
//                  AddVirtual ─▶ cells of all virtual threads ──────▶ profiler.VirtualThreadTime
//
// Of the process, never freed: a probe may add long after the recording. Add, AddVirtual: on
// attached threads, outside handlers; without a lock but at the first wait of a thread. All else:
// any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engines/lock/wait_totals.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {

class ThreadWaits {
 public:
  static constexpr size_t kTypes = 3;  // kMonitorEnter, kMonitorWait, kPark
  // Sums of ended threads that wait for TakeEnded; those of further ones are in Of alone.
  static constexpr size_t kMostEnded = size_t{1} << 18;

  struct WaitSum {
    uint64_t waits = 0;
    uint64_t total_ns = 0;
  };
  struct OfThread {
    uint32_t serial = 0;
    Tid tid{0};
    std::array<WaitSum, kTypes> sums = {};  // by WaitType
  };

  static ThreadWaits& OfProcess();

  // Forgets all. REQUIRES: interval_ns > 0.
  void Begin(Nanos interval_ns);
  Nanos interval_ns() const { return interval_ns_.load(std::memory_order_relaxed); }

  // Of virtual threads, those with at least this id are in OfVirtual.
  void CountVirtualFrom(int64_t first_id) {
    first_virtual_.store(first_id, std::memory_order_relaxed);
  }

  // `thread`: that has waited; nullptr: one without a slot. REQUIRES: `type` is one of kTypes,
  // waited_ns >= 0.
  void Add(const ThreadSlot* thread, WaitType type, Nanos waited_ns);
  void AddVirtual(int64_t id, WaitType type, Nanos waited_ns);

  // Since Begin, of all threads.
  WaitSums Of(WaitType type) const;
  // As Of, of the virtual threads that CountVirtualFrom tells.
  WaitSums OfVirtual(WaitType type) const { return virtual_.Of(type); }

  // The thread ends: what it has waited is ready for TakeEnded.
  void End(const ThreadSlot& thread);
  std::vector<OfThread> TakeEnded();
  // What has been added since the last call, of threads that have waited and of which TakeEnded has
  // not told.
  std::vector<OfThread> Take();

 private:
  struct WaitCells {
    std::atomic<uint32_t> serial{0};  // of its thread; 0: none. relaxed: set by the thread itself
    Tid tid{0};                       // as written, guarded by mutex_
    std::array<WaitCell, kTypes> sums;
    std::array<WaitSum, kTypes> written;
  };
  static constexpr size_t kBlock = 256;
  static constexpr size_t kBlocks = ThreadSlots::kCapacity / kBlock;
  using Block = std::array<WaitCells, kBlock>;

  WaitCells& CellOf(const ThreadSlot& thread);
  // What is new in the cell, for Take. REQUIRES: mutex_ is held.
  static OfThread NewOf(WaitCells& cell);
  // Both REQUIRE: mutex_ is held.
  void Empty(WaitCells& cell);
  void EndCell(WaitCells& cell);

  template <typename Visit>
  void ForEachCell(Visit&& visit) const {
    for (const auto& place : blocks_) {
      Block* const block = place.load(std::memory_order_acquire);
      if (block == nullptr) continue;
      for (WaitCells& cell : *block) visit(cell);
    }
  }

  // By the index of the thread's slot; nullptr: not used yet. Release, acquire.
  std::array<std::atomic<Block*>, kBlocks> blocks_ = {};
  std::atomic<Nanos> interval_ns_{1};              // relaxed: set before the first wait
  std::atomic<int64_t> first_virtual_{INT64_MAX};  // relaxed: of ids that come later
  WaitTotals virtual_;
  WaitTotals others_;  // virtual threads from before, and threads without a slot

  mutable std::mutex mutex_;               // guards all below, and whose a cell is
  std::vector<OfThread> ended_;            // not taken yet
  std::array<WaitSums, kTypes> of_ended_;  // all that cells had of threads before
};

}  // namespace jprof
