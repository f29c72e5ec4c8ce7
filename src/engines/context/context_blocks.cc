#include "engines/context/context_blocks.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "os/pages.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/context_reader.h"

namespace jprof {
namespace {

constexpr size_t kBlocksAtATime = 64;

// Whenever a block is made for a virtual thread, one part of the table of virtual threads is swept.
// A part is small, because the lock is held during the sweep. If the table holds n blocks, a part
// has 1/n of the table's places, so n new blocks cause one sweep of the whole table. If n is below
// kBlocksASweep, a part has 1/kBlocksASweep of the places.
constexpr size_t kBlocksASweep = 2048;
// A part has at least this number of places.
constexpr size_t kFewestPlaces = 16;
// If the table is full, the whole table is swept, but at most once per kSweepInterval. Such a sweep
// takes some milliseconds. A second sweep frees nothing unless a garbage collection has happened
// since the first one.
constexpr Nanos kSweepInterval = 100'000'000;

// True from the time when the thread ends as a Java thread until it starts as one again. In between
// it gets no new block, even if another agent still calls Java code on the thread.
constinit thread_local bool t_has_ended = false;

void CountRefusal() { TheMissingContexts().no_memory.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

ContextBlocks& ContextBlocks::OfProcess() {
  static auto* const blocks = new ContextBlocks;  // lives as long as the process
  return *blocks;
}

ContextBlock* ContextBlocks::OfThisThread() {
  if (ContextBlock* const own = OwnContextBlock()) return own;
  if (t_has_ended) return nullptr;
  const std::lock_guard lock(mutex_);
  ContextBlock* const block = Take(full_);
  block == nullptr ? CountRefusal() : SetOwnContextBlock(block);
  return block;
}

void ContextBlocks::BeginThisThread() { t_has_ended = false; }

void* ContextBlocks::EndThisThread() {
  t_has_ended = true;
  ContextBlock* const own = OwnContextBlock();
  if (own == nullptr) return nullptr;
  SetOwnContextBlock(nullptr);
  const std::lock_guard lock(mutex_);
  void* const owner = own->owner;
  Free(own);
  return owner;
}

ContextBlocks::Claim ContextBlocks::ClaimBlock(int64_t virtual_thread, bool is_made,
                                               const IsGone& is_gone) {
  const std::lock_guard lock(mutex_);
  ContextBlock* block = TheVirtualContexts().Find(virtual_thread);
  if (block == nullptr && is_made) {
    block = Make(virtual_thread, is_gone);
    if (block == nullptr) CountRefusal();
  }
  if (block == nullptr) return {};
  return {block, std::exchange(block->owner, nullptr)};
}

ContextBlock* ContextBlocks::Make(int64_t virtual_thread, const IsGone& is_gone) {
  Sweep(std::max(kFewestPlaces, VirtualContexts::kPlaces / std::max(kBlocksASweep, held_)),
        is_gone);
  ContextBlock* const block = Take(small_);
  if (block == nullptr) return nullptr;
  block->is_exported.store(is_exported_ ? 1 : 0, std::memory_order_relaxed);
  block->virtual_thread.store(virtual_thread, std::memory_order_release);
  bool has_place = TheVirtualContexts().Add(virtual_thread, block);
  if (!has_place) {
    SweepAll(is_gone);
    has_place = TheVirtualContexts().Add(virtual_thread, block);
  }
  if (!has_place) {
    Free(block);
    return nullptr;
  }
  ++held_;
  return block;
}

void ContextBlocks::Sweep(size_t places, const IsGone& is_gone) {
  TheVirtualContexts().Visit(next_swept_, places, [&](ContextBlock& block) {
    if (block.owner == nullptr || !is_gone(block.owner)) return;
    TheVirtualContexts().Remove(block.virtual_thread.load(std::memory_order_relaxed));
    --held_;
    Free(&block);
  });
  next_swept_ = (next_swept_ + places) % VirtualContexts::kPlaces;
}

void ContextBlocks::SweepAll(const IsGone& is_gone) {
  const Nanos now_ns = MonotonicNanos();
  if (now_ns < all_swept_ns_ + kSweepInterval) return;
  all_swept_ns_ = now_ns;
  Sweep(VirtualContexts::kPlaces, is_gone);
}

std::optional<void*> ContextBlocks::Own(int64_t virtual_thread, ContextBlock* block, void* owner) {
  const std::lock_guard lock(mutex_);
  if (TheVirtualContexts().Find(virtual_thread) != block) return std::nullopt;
  return std::exchange(block->owner, owner);
}

void ContextBlocks::Release(int64_t virtual_thread) {
  const std::lock_guard lock(mutex_);
  ContextBlock* const block = TheVirtualContexts().Find(virtual_thread);
  if (block == nullptr) return;
  TheVirtualContexts().Remove(virtual_thread);
  --held_;
  Free(block);
}

ContextBlock* ContextBlocks::TakeFull() {
  const std::lock_guard lock(mutex_);
  return Take(full_);
}

void ContextBlocks::GiveBack(ContextBlock* full) {
  const std::lock_guard lock(mutex_);
  Free(full);
}

// The order of the steps matters. A signal handler that interrupts this thread between two steps
// has to find the context, in the old block or in the new one.
bool ContextBlocks::Grow(int64_t virtual_thread, ContextBlock* full) {
  const std::lock_guard lock(mutex_);
  ContextBlock* const old = TheVirtualContexts().Find(virtual_thread);
  if (old == nullptr || old->record_bytes == ContextBlock::kFullRecord) {
    Free(full);
    return false;
  }
  const profiler_context* const current = old->current.load(std::memory_order_relaxed);
  for (size_t i = 0; i < 2; ++i) {
    std::memcpy(static_cast<void*>(full->RecordAt(i)), old->RecordAt(i), old->record_bytes);
    if (current == &old->RecordAt(i)->published) {
      full->current.store(&full->RecordAt(i)->published, std::memory_order_relaxed);
    }
  }
  full->owner = old->owner;
  full->is_exported.store(old->is_exported.load(std::memory_order_relaxed),
                          std::memory_order_relaxed);
  full->virtual_thread.store(virtual_thread, std::memory_order_release);
  TheVirtualContexts().Replace(virtual_thread, full);
  // The carrier's slot can point to this virtual thread's record (mounted_contexts.h).
  if (current != nullptr && *OwnContextSlot() == current) {
    *OwnContextSlot() = full->current.load(std::memory_order_relaxed);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Free(old);
  return true;
}

void ContextBlocks::Export() {
  const std::lock_guard lock(mutex_);
  is_exported_ = true;
  TheVirtualContexts().Visit(0, VirtualContexts::kPlaces, [](ContextBlock& block) {
    block.is_exported.store(1, std::memory_order_relaxed);
  });
}

ContextBlock* ContextBlocks::Take(FreeBlocks& free) {
  if (free.first == nullptr) {
    const size_t size = ContextBlock::BytesWith(free.record_bytes);
    Result<Pages> pages = Pages::Reserve(kBlocksAtATime * size);
    if (!pages) return nullptr;
    auto* const memory = static_cast<char*>(pages.value().Leak().data);
    for (size_t i = 0; i < kBlocksAtATime; ++i) {
      free.first = new (memory + i * size)
          ContextBlock{.address = free.first, .record_bytes = free.record_bytes};
    }
  }
  ContextBlock* const block = free.first;
  free.first = const_cast<ContextBlock*>(block->address);
  block->address = block;
  return block;
}

void ContextBlocks::Free(ContextBlock* block) {
  block->virtual_thread.store(0, std::memory_order_release);
  block->current.store(nullptr, std::memory_order_relaxed);
  block->is_exported.store(0, std::memory_order_relaxed);
  block->owner = nullptr;
  FreeBlocks& free = block->record_bytes == full_.record_bytes ? full_ : small_;
  block->address = free.first;
  free.first = block;
}

}  // namespace jprof
