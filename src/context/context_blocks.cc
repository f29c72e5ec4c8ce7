#include "context/context_blocks.h"

#include <new>

#include "os/pages.h"

namespace jprof {
namespace {

constexpr size_t kBlocksAtATime = 64;

}  // namespace

ContextBlocks& ContextBlocks::OfProcess() {
  static auto* const blocks = new ContextBlocks;  // lives as long as the process
  return *blocks;
}

ContextBlock* ContextBlocks::OfThisThread() {
  if (ContextBlock* const own = OwnContextBlock()) return own;
  const std::lock_guard lock(mutex_);
  ContextBlock* const block = Take();
  if (block != nullptr) SetOwnContextBlock(block);
  return block;
}

void ContextBlocks::EndThisThread() {
  ContextBlock* const own = OwnContextBlock();
  if (own == nullptr) return;
  SetOwnContextBlock(nullptr);
  const std::lock_guard lock(mutex_);
  Free(own);
}

ContextBlock* ContextBlocks::Attach(int64_t virtual_thread) {
  const std::lock_guard lock(mutex_);
  ContextBlock* block = TheVirtualContexts().Find(virtual_thread);
  if (block == nullptr) {
    block = Take();
    if (block == nullptr) return nullptr;
    block->virtual_thread.store(virtual_thread, std::memory_order_release);
    if (!TheVirtualContexts().Add(virtual_thread, block)) {
      Free(block);
      return nullptr;
    }
  }
  ++block->users;
  return block;
}

void ContextBlocks::Release(int64_t virtual_thread) {
  const std::lock_guard lock(mutex_);
  ContextBlock* const block = TheVirtualContexts().Find(virtual_thread);
  if (block == nullptr || --block->users != 0) return;
  TheVirtualContexts().Remove(virtual_thread);
  Free(block);
}

// REQUIRES: mutex_ is held, here and below.
ContextBlock* ContextBlocks::Take() {
  if (free_ == nullptr) {
    Result<Pages> pages = Pages::Reserve(kBlocksAtATime * sizeof(ContextBlock));
    if (!pages) return nullptr;
    auto* const blocks = static_cast<ContextBlock*>(pages.value().Leak().data);
    for (size_t i = 0; i < kBlocksAtATime; ++i) Free(new (&blocks[i]) ContextBlock{});
  }
  ContextBlock* const block = free_;
  free_ = const_cast<ContextBlock*>(block->address);
  block->address = block;
  return block;
}

void ContextBlocks::Free(ContextBlock* block) {
  block->virtual_thread.store(0, std::memory_order_release);
  block->current.store(nullptr, std::memory_order_relaxed);
  block->users = 0;
  block->address = free_;
  free_ = block;
}

}  // namespace jprof
