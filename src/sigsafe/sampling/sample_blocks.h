// SampleBlocks carries samples from handlers to the recorder. It is bounded and lock-free.
//
// Samples are in blocks of 1 KB instead of one ring, so that no two threads write to the same cache
// line. Each thread fills blocks of its own. Each nesting level of the thread's handlers fills one
// block, and takes another block when that block is full. The number of blocks limits the memory;
// threads with more samples take more blocks. A sample takes StoredBytes of its kind, so that a
// large payload costs other kinds nothing.
//
// Push is async-signal-safe, and is called under the guard of CallTraceStorage. Drain is called by
// one thread at a time.
//
// Invariants:
//  1. A block has one writer: the handler that holds the guard of the block's thread at the block's
//     nesting level. The writer gives up a full block before it publishes that the block is full.
//     The recorder frees a block only when the block is full and drained.
//  2. Samples of a block are in the order of their epochs, because the active epoch never
//     decreases: Drain can stop at the first sample of a later epoch.
//  3. A block that is not full stays with the thread's slot, and with the slot's next thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sigsafe/base/check.h"
#include "sigsafe/memory/region.h"
#include "sigsafe/memory/slot_pool.h"
#include "sigsafe/sampling/sample.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

struct alignas(64) SampleBlock {
  static constexpr size_t kWordBytes = alignof(Sample);
  static constexpr uint32_t kWords = 127;

  // The number of written words. Stored with release by the writer, loaded with acquire by the
  // recorder. The recorder sets the number to 0 when it frees the block: the pool's release and
  // acquire order this store before the next writer's use.
  std::atomic<uint32_t> written;
  alignas(Sample) std::byte samples[kWords * kWordBytes];

  static constexpr uint32_t WordsOf(SampleKind kind, bool has_last_stack = false) {
    return static_cast<uint32_t>(StoredBytes(kind, has_last_stack) / kWordBytes);
  }
  static uint32_t WordsOf(const Sample& sample) {
    return WordsOf(sample.kind, sample.has_last_stack != 0);
  }

  // True if the next sample might not fit, because there is no room for a whole Sample.
  static constexpr bool IsFull(uint32_t written) {
    return kWords - written < sizeof(Sample) / kWordBytes;
  }

  // Returns the number of samples that fill a block, if all are of one kind.
  static constexpr uint32_t CapacityFor(SampleKind kind) {
    uint32_t count = 0;
    for (uint32_t words = 0; !IsFull(words); words += WordsOf(kind)) ++count;
    return count;
  }
};

static_assert(sizeof(SampleBlock) == 1024);

class SampleBlocks {
 public:
  static constexpr size_t kMaxBlocks = 65536;

  // Returns the size of the region for `blocks` blocks. REQUIRES: `blocks` is a multiple of 64, at
  // most kMaxBlocks.
  static constexpr size_t RegionSize(size_t blocks) {
    JPROF_CHECK(blocks % 64 == 0 && blocks <= kMaxBlocks);
    return blocks * (sizeof(SampleBlock) + sizeof(uint8_t));
  }

  // REQUIRES: a zeroed region of RegionSize(blocks), aligned to 64, that outlives the object.
  SampleBlocks(Region region, size_t blocks)
      : block_count_(blocks),
        blocks_(static_cast<SampleBlock*>(region.data)),
        drained_(static_cast<uint8_t*>(region.data) + blocks * sizeof(SampleBlock)) {
    JPROF_CHECK(reinterpret_cast<uintptr_t>(region.data) % alignof(SampleBlock) == 0);
    JPROF_CHECK(region.size >= RegionSize(blocks));
  }

  // Pushes a sample. `level` is the nesting level of the guard. Returns false if no block is free;
  // the caller then counts the sample as lost.
  bool Push(ThreadSlot& thread, uint32_t level, const Sample& sample) {
    std::atomic<SampleBlock*>& mine = thread.sample_block[level];
    // relaxed: only this level of this thread's handlers uses the pointer.
    SampleBlock* block = mine.load(std::memory_order_relaxed);
    if (!Owns(block)) {
      block = Claim(thread.index);
      if (block == nullptr) return false;
      mine.store(block, std::memory_order_relaxed);
    }
    const uint32_t place = block->written.load(std::memory_order_relaxed);
    JPROF_CHECK(!SampleBlock::IsFull(place));
    // Copies the whole Sample; the next sample overwrites the bytes beyond this kind's payload.
    std::memcpy(&block->samples[place * SampleBlock::kWordBytes], &sample, sizeof sample);
    const uint32_t written = place + SampleBlock::WordsOf(sample);
    if (SampleBlock::IsFull(written)) mine.store(nullptr, std::memory_order_relaxed);
    block->written.store(written, std::memory_order_release);
    return true;
  }

  // Calls visit(sample) for each published sample whose epoch is at most `last_epoch`.
  template <typename Visitor>
  void Drain(uint32_t last_epoch, Visitor&& visit) {
    taken_.ForEachTaken(block_count_, [&](size_t i) {
      SampleBlock& block = blocks_[i];
      const uint32_t written = block.written.load(std::memory_order_acquire);
      while (drained_[i] < written) {
        const Sample sample = SampleAt(block, drained_[i]);
        if (Value(sample.trace) >> 32 > last_epoch) return;
        visit(sample);
        drained_[i] = static_cast<uint8_t>(drained_[i] + SampleBlock::WordsOf(sample));
      }
      if (!SampleBlock::IsFull(written)) return;
      drained_[i] = 0;
      block.written.store(0, std::memory_order_relaxed);
      taken_.Release(i);
    });
  }

 private:
  static_assert(std::atomic<SampleBlock*>::is_always_lock_free);
  static_assert(SampleBlock::kWords <= UINT8_MAX);

  // Reads only the words of the sample, because the writer might be writing the next sample.
  static Sample SampleAt(const SampleBlock& block, size_t place) {
    const std::byte* stored = &block.samples[place * SampleBlock::kWordBytes];
    Sample sample{};
    auto* const bytes = reinterpret_cast<std::byte*>(&sample);
    std::memcpy(bytes, stored, offsetof(Sample, payload));
    std::memcpy(bytes, stored, SampleBlock::WordsOf(sample) * SampleBlock::kWordBytes);
    return sample;
  }

  // True if the block belongs to this object. False for nullptr, and for a block that an earlier
  // run of the sampler has left in the slot.
  bool Owns(const SampleBlock* block) const {
    return block >= blocks_ && block < blocks_ + block_count_;
  }

  SampleBlock* Claim(size_t hint) {
    const size_t slot = taken_.Claim(hint, block_count_);
    return slot == SlotPool<kMaxBlocks>::kNone ? nullptr : &blocks_[slot];
  }

  const size_t block_count_;
  SampleBlock* const blocks_;
  uint8_t* const drained_;  // per block: words that Drain has visited; used by the recorder only
  SlotPool<kMaxBlocks> taken_;
};

}  // namespace jprof
