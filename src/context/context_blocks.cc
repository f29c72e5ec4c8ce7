#include "context/context_blocks.h"

#include <cstring>
#include <new>

#include "os/pages.h"
#include "sigsafe/context/context_reader.h"

namespace jprof {
namespace {

constexpr size_t kBlocksAtATime = 64;

// As a Java thread: in the rest of its end other agents may call Java.
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

void ContextBlocks::EndThisThread() {
  t_has_ended = true;
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
    block = Take(small_);
    if (block == nullptr) {
      CountRefusal();
      return nullptr;
    }
    block->is_exported.store(is_exported_ ? 1 : 0, std::memory_order_relaxed);
    block->virtual_thread.store(virtual_thread, std::memory_order_release);
    if (!TheVirtualContexts().Add(virtual_thread, block)) {
      Free(block);
      CountRefusal();
      return nullptr;
    }
  }
  ++block->users;
  return block;
}

// A handler on this thread finds the context in the old block or in the new one.
bool ContextBlocks::Grow(int64_t virtual_thread,
                         const std::function<bool(ContextBlock*)>& hand_over) {
  const std::lock_guard lock(mutex_);
  ContextBlock* const old = TheVirtualContexts().Find(virtual_thread);
  if (old == nullptr || old->users != 1 || old->record_bytes == ContextBlock::kFullRecord) {
    return false;
  }
  ContextBlock* const block = Take(full_);
  if (block == nullptr) return false;
  const profiler_context* const current = old->current.load(std::memory_order_relaxed);
  for (size_t i = 0; i < 2; ++i) {
    std::memcpy(static_cast<void*>(block->RecordAt(i)), old->RecordAt(i), old->record_bytes);
    if (current == &old->RecordAt(i)->published) {
      block->current.store(&block->RecordAt(i)->published, std::memory_order_relaxed);
    }
  }
  if (!hand_over(block)) {
    Free(block);
    return false;
  }
  block->users = 1;
  block->is_exported.store(old->is_exported.load(std::memory_order_relaxed),
                           std::memory_order_relaxed);
  block->virtual_thread.store(virtual_thread, std::memory_order_release);
  TheVirtualContexts().Replace(virtual_thread, block);
  if (current != nullptr && *OwnContextSlot() == current) {  // mounted_contexts.h
    *OwnContextSlot() = block->current.load(std::memory_order_relaxed);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Free(old);
  return true;
}

void ContextBlocks::Export() {
  const std::lock_guard lock(mutex_);
  is_exported_ = true;
  TheVirtualContexts().ForEach(
      [](ContextBlock& block) { block.is_exported.store(1, std::memory_order_relaxed); });
}

void ContextBlocks::Release(int64_t virtual_thread) {
  const std::lock_guard lock(mutex_);
  ContextBlock* const block = TheVirtualContexts().Find(virtual_thread);
  if (block == nullptr || --block->users != 0) return;
  TheVirtualContexts().Remove(virtual_thread);
  Free(block);
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
  block->users = 0;
  FreeBlocks& free = block->record_bytes == full_.record_bytes ? full_ : small_;
  block->address = free.first;
  free.first = block;
}

}  // namespace jprof
