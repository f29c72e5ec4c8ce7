// SampleBlocks: carries samples from handlers to the one recorder; bounded, lock-free.
//
// Not one ring for all, whose ends every sample would contend for, but blocks of 1 KB: each thread
// (and each nesting level of its handlers) fills a block of its own and takes another when it is
// full, so that no cache line is written by two threads. The number of blocks bounds the memory,
// and a thread needs the more of it the more it samples.
//
// Push: Async-signal-safe, under the guard of the storage. Drain: one thread at a time.
//
// Invariants:
//  1. A block has one writer: the holder of the thread's guard at this level. It forgets a block
//     before the block is full, the recorder frees a block only when it is full and drained.
//  2. Within a block samples are in the order of their epochs, for the active epoch never goes
//     back: what Drain leaves for later is later.
//  3. A block that is not full stays with the thread's record, and with the record's next thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/memory/region.h"
#include "sigsafe/memory/slot_pool.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

struct alignas(64) SampleBlock {
  static constexpr uint32_t kCapacity = 21;

  // Samples in here. release by the writer, acquire by the recorder; 0 again when the block is
  // freed, ordered by the pool.
  std::atomic<uint32_t> written;
  Sample samples[kCapacity];
};

static_assert(sizeof(SampleBlock) == 1024);

class SampleBlocks {
 public:
  static constexpr size_t kMaxBlocks = 65536;

  // For `blocks` blocks. REQUIRES: a multiple of 64, at most kMaxBlocks.
  static constexpr size_t RegionSize(size_t blocks) {
    return blocks * (sizeof(SampleBlock) + sizeof(uint8_t));
  }

  // REQUIRES: a zeroed region of RegionSize(blocks), aligned to 64, that outlives the object.
  SampleBlocks(Region region, size_t blocks)
      : block_count_(blocks),
        blocks_(static_cast<SampleBlock*>(region.data)),
        drained_(static_cast<uint8_t*>(region.data) + blocks * sizeof(SampleBlock)) {}

  // False when no block is free: the caller accounts for the sample. `level`: of the guard.
  bool Push(ProfiledThread& thread, uint32_t level, const Sample& sample) {
    std::atomic<SampleBlock*>& mine = thread.sample_block[level];
    // relaxed: this level of this thread's handlers alone uses the pointer.
    SampleBlock* block = mine.load(std::memory_order_relaxed);
    if (!Owns(block)) {
      block = Claim(thread.index);
      if (block == nullptr) return false;
      mine.store(block, std::memory_order_relaxed);
    }
    const uint32_t place = block->written.load(std::memory_order_relaxed);
    block->samples[place] = sample;
    if (place + 1 == SampleBlock::kCapacity) mine.store(nullptr, std::memory_order_relaxed);
    block->written.store(place + 1, std::memory_order_release);
    return true;
  }

  // Calls visit(sample) for each published sample of an epoch up to `last_epoch`.
  template <typename Visitor>
  void Drain(uint32_t last_epoch, Visitor&& visit) {
    taken_.ForEachTaken(block_count_, [&](size_t i) {
      SampleBlock& block = blocks_[i];
      const uint32_t written = block.written.load(std::memory_order_acquire);
      while (drained_[i] < written) {
        const Sample& sample = block.samples[drained_[i]];
        if (Value(sample.trace) >> 32 > last_epoch) return;
        visit(sample);
        ++drained_[i];
      }
      if (written < SampleBlock::kCapacity) return;
      drained_[i] = 0;
      block.written.store(0, std::memory_order_relaxed);
      taken_.Release(i);
    });
  }

 private:
  static_assert(std::atomic<SampleBlock*>::is_always_lock_free);

  // Else it is null, or was left in the record by a session whose memory is gone.
  bool Owns(const SampleBlock* block) const {
    return block >= blocks_ && block < blocks_ + block_count_;
  }

  SampleBlock* Claim(size_t hint) {
    const size_t slot = taken_.Claim(hint, block_count_);
    return slot == SlotPool<kMaxBlocks>::kNone ? nullptr : &blocks_[slot];
  }

  const size_t block_count_;
  SampleBlock* const blocks_;
  uint8_t* const drained_;  // by block: samples that Drain has visited; the recorder's alone
  SlotPool<kMaxBlocks> taken_;
};

}  // namespace jprof
