// ThreadWaits holds the exact number and time of all waits, sampled or not. There are sums for each
// type of wait and each platform thread; all virtual threads share one set of sums.
//
//   a wait ends ─▶ Add ─▶ WaitCells of its thread ─ Take, each chunk ─▶ profiler.ThreadWaits
//                  AddVirtual ─▶ WaitTotals of all virtual threads ──▶ profiler.VirtualThreadTime
//
// One object per process, never freed, because a probe can add a wait long after the recording. Add
// and AddVirtual are called on attached threads, not in signal handlers, and take a lock only at
// the first wait of a thread. The other functions may be called on any thread.
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
  // The largest number of ended threads that TakeEnded returns. The waits of further ended threads
  // are contained only in the results of Of().
  static constexpr size_t kMostEnded = size_t{1} << 18;

  struct WaitSum {
    uint64_t waits = 0;
    uint64_t total_ns = 0;
  };
  // The waits of one thread.
  struct OfThread {
    uint32_t serial = 0;  // ThreadSlot::serial
    Tid tid{0};
    std::array<WaitSum, kTypes> sums = {};  // indexed by WaitType
  };

  static ThreadWaits& OfProcess();

  // Clears all sums. Waits that are shorter than `interval_ns` count as short (WaitSums). REQUIRES:
  // interval_ns > 0.
  void Begin(Nanos interval_ns);
  Nanos interval_ns() const { return interval_ns_.load(std::memory_order_relaxed); }

  // Makes OfVirtual return the waits of the virtual threads with ids from `first_id` on.
  void CountVirtualFrom(int64_t first_id) {
    first_virtual_.store(first_id, std::memory_order_relaxed);
  }

  // Adds a wait of a platform thread. `thread` is the slot of the thread; nullptr if the thread has
  // none. REQUIRES: `type` is one of the first kTypes types; waited_ns >= 0.
  void Add(const ThreadSlot* thread, WaitType type, Nanos waited_ns);
  // Adds a wait of the virtual thread with the id. REQUIRES: waited_ns >= 0.
  void AddVirtual(int64_t id, WaitType type, Nanos waited_ns);

  // Returns the sums over all threads since Begin.
  WaitSums Of(WaitType type) const;
  // Returns the sums over the virtual threads that CountVirtualFrom has chosen.
  WaitSums OfVirtual(WaitType type) const { return virtual_.Of(type); }

  // Makes TakeEnded return the waits of `thread`. Called when the thread ends.
  void End(const ThreadSlot& thread);
  // Returns the waits of ended threads that no earlier call of TakeEnded or Take has returned.
  std::vector<OfThread> TakeEnded();
  // Returns the waits of threads that have not ended, without the waits that an earlier call of
  // Take has returned. Leaves out threads that have no further waits.
  std::vector<OfThread> Take();

 private:
  // The sums of one slot's thread.
  struct WaitCells {
    // ThreadSlot::serial of the thread; 0 if no thread uses the cells. Changed only while mutex_ is
    // held. relaxed: publishes no other value.
    std::atomic<uint32_t> serial{0};
    Tid tid{0};  // guarded by mutex_
    std::array<WaitCell, kTypes> sums;
    std::array<WaitSum, kTypes> written;  // sums that Take has returned; guarded by mutex_
  };
  static constexpr size_t kBlock = 256;
  static constexpr size_t kBlocks = ThreadSlots::kCapacity / kBlock;
  using Block = std::array<WaitCells, kBlock>;

  // Returns the cells of the thread whose slot is `thread`.
  WaitCells& CellOf(const ThreadSlot& thread);
  // Returns the waits in the cells that no earlier call has returned. The result has the serial 0
  // if there are no such waits. REQUIRES: mutex_ is held.
  static OfThread NewOf(WaitCells& cell);
  // Adds the sums of the cells to of_ended_ and clears the cells. REQUIRES: mutex_ is held.
  void Empty(WaitCells& cell);
  // Appends the new waits in the cells to ended_, and empties the cells. REQUIRES: mutex_ is held.
  void EndCell(WaitCells& cell);

  template <typename Visit>
  void ForEachCell(Visit&& visit) const {
    for (const auto& place : blocks_) {
      Block* const block = place.load(std::memory_order_acquire);
      if (block == nullptr) continue;
      for (WaitCells& cell : *block) visit(cell);
    }
  }

  // The WaitCells of all slots, in blocks of kBlock. The pointer to a block is nullptr until a
  // thread of the block waits. The pointer is stored with release once the block is constructed,
  // and loaded with acquire before the block is used.
  std::array<std::atomic<Block*>, kBlocks> blocks_ = {};
  std::atomic<Nanos> interval_ns_{1};              // relaxed: set before the first wait
  std::atomic<int64_t> first_virtual_{INT64_MAX};  // relaxed: publishes no other value
  WaitTotals virtual_;
  // Waits of virtual threads with ids below first_virtual_, and of threads without a slot.
  WaitTotals others_;

  mutable std::mutex mutex_;               // guards all below, and changes of WaitCells::serial
  std::vector<OfThread> ended_;            // what TakeEnded returns
  std::array<WaitSums, kTypes> of_ended_;  // sums over all ended threads, for Of()
};

}  // namespace jprof
