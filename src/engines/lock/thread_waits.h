// ThreadWaits: the exact number and time of all waits, sampled or not, by thread and type. Virtual
// threads share their sums.
//
//   a wait ends ─▶ Add ─▶ the cell of its thread ─ Take, each chunk ─▶ profiler.ThreadWaits
//                  AddVirtual ─▶ cells of all virtual threads ──────▶ profiler.VirtualThreadTime
//
// One object per process, never freed: a probe can add long after the recording. Add and AddVirtual
// are called on attached threads, not in handlers, and take a lock only at the first wait of a
// thread. The other functions are called on any thread.
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
  // The most ended threads that TakeEnded returns; the sums of further ones are only in Of.
  static constexpr size_t kMostEnded = size_t{1} << 18;

  struct WaitSum {
    uint64_t waits = 0;
    uint64_t total_ns = 0;
  };
  struct OfThread {
    uint32_t serial = 0;
    Tid tid{0};
    std::array<WaitSum, kTypes> sums = {};  // indexed by WaitType
  };

  static ThreadWaits& OfProcess();

  // Forgets all waits. REQUIRES: interval_ns > 0.
  void Begin(Nanos interval_ns);
  Nanos interval_ns() const { return interval_ns_.load(std::memory_order_relaxed); }

  // Makes OfVirtual include the virtual threads with ids from `first_id` on.
  void CountVirtualFrom(int64_t first_id) {
    first_virtual_.store(first_id, std::memory_order_relaxed);
  }

  // Count a wait of a platform thread or of a virtual thread. `thread`: the thread that has waited;
  // nullptr: it has no slot. REQUIRES: `type` is one of kTypes, waited_ns >= 0.
  void Add(const ThreadSlot* thread, WaitType type, Nanos waited_ns);
  void AddVirtual(int64_t id, WaitType type, Nanos waited_ns);

  // Returns the sums of all threads since Begin.
  WaitSums Of(WaitType type) const;
  // Returns the sums of the virtual threads that CountVirtualFrom has chosen.
  WaitSums OfVirtual(WaitType type) const { return virtual_.Of(type); }

  // Moves the waits of a thread that ends to TakeEnded.
  void End(const ThreadSlot& thread);
  // Returns the waits of ended threads that neither TakeEnded nor Take has returned.
  std::vector<OfThread> TakeEnded();
  // Returns the waits of other threads since the last call, of each thread that has waited.
  std::vector<OfThread> Take();

 private:
  struct WaitCells {
    // The serial of the cell's thread; 0: none. relaxed: set by the thread itself.
    std::atomic<uint32_t> serial{0};
    Tid tid{0};  // guarded by mutex_
    std::array<WaitCell, kTypes> sums;
    std::array<WaitSum, kTypes> written;  // sums that Take has returned; guarded by mutex_
  };
  static constexpr size_t kBlock = 256;
  static constexpr size_t kBlocks = ThreadSlots::kCapacity / kBlock;
  using Block = std::array<WaitCells, kBlock>;

  WaitCells& CellOf(const ThreadSlot& thread);
  // Returns the waits of the cell since the last call. REQUIRES: mutex_ is held.
  static OfThread NewOf(WaitCells& cell);
  // Empties the cell, whose sums stay in of_ended_. REQUIRES: mutex_ is held.
  void Empty(WaitCells& cell);
  // Moves the new waits of the cell to ended_, and empties it. REQUIRES: mutex_ is held.
  void EndCell(WaitCells& cell);

  template <typename Visit>
  void ForEachCell(Visit&& visit) const {
    for (const auto& place : blocks_) {
      Block* const block = place.load(std::memory_order_acquire);
      if (block == nullptr) continue;
      for (WaitCells& cell : *block) visit(cell);
    }
  }

  // The cells, by index of the thread's slot; nullptr: not used yet. Release, acquire.
  std::array<std::atomic<Block*>, kBlocks> blocks_ = {};
  std::atomic<Nanos> interval_ns_{1};              // relaxed: set before the first wait
  std::atomic<int64_t> first_virtual_{INT64_MAX};  // relaxed: set before such ids are assigned
  WaitTotals virtual_;
  WaitTotals others_;  // waits of earlier virtual threads, and of threads without a slot

  mutable std::mutex mutex_;               // guards all below, and changes of a cell's thread
  std::vector<OfThread> ended_;            // waits of ended threads for TakeEnded
  std::array<WaitSums, kTypes> of_ended_;  // sums of earlier threads of the cells
};

}  // namespace jprof
