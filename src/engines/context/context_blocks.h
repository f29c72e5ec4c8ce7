// ContextBlocks: the memory of trace contexts, a block a thread (sigsafe/sampling/context_block.h).
//
// A virtual thread has a small block until its tags need a full one. One object per process. Memory
// is reused and never unmapped: a handler or a reader outside of the process may still look at it.
// Thread-safe, outside of handlers.
//
// A block has an owner, which is opaque here: a reference to what Java writes the block by. That of
// a virtual thread's block is weak, and the block is free once nothing else refers to the object:
// no thread-local variable of the thread, which ends with the thread or with the class loader of
// the variable.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "sigsafe/base/types.h"
#include "sigsafe/sampling/context_block.h"

namespace jprof {

class ContextBlocks {
 public:
  static ContextBlocks& OfProcess();

  // The calling platform thread's block, a new one if it has none; nullptr: no memory, or the
  // thread ends. Its `owner` is the thread's own to set.
  ContextBlock* OfThisThread();

  // At the end of the calling platform thread, or when it detaches: it has no context any more,
  // and gets none until it begins as a Java thread once more. Returns the owner; nullptr: none.
  [[nodiscard]] void* EndThisThread();
  void BeginThisThread();

  // Whether the object that the owner refers to is gone; if so, the reference is given up. Called
  // with the lock held.
  using IsGone = std::function<bool(void* owner)>;

  // The block of the calling virtual thread, and its owner, which is taken out of it: a block
  // without owner is the thread's own until Own or Release. nullptr: there is none, or, if it shall
  // be made, there is no memory, or no place in the table. Blocks whose owners are gone are freed,
  // some with each block that is made.
  struct Claim {
    ContextBlock* block = nullptr;
    void* owner = nullptr;  // nullptr: the block has none yet
  };
  Claim ClaimBlock(int64_t virtual_thread, bool is_made, const IsGone& is_gone);

  // Sets the owner of the block and returns the one before. nullopt, and nothing has changed: the
  // thread has another block by now.
  [[nodiscard]] std::optional<void*> Own(int64_t virtual_thread, ContextBlock* block, void* owner);

  // Frees the block of the calling virtual thread. REQUIRES: it was claimed.
  void Release(int64_t virtual_thread);

  // A full block that is nobody's; nullptr: no memory. It becomes the calling virtual thread's in
  // the place of its small block, with the same context and owner, or is given back. False: it was
  // given back, as the thread has no small block.
  ContextBlock* TakeFull();
  [[nodiscard]] bool Grow(int64_t virtual_thread, ContextBlock* full);
  void GiveBack(ContextBlock* full);

  // From now on all virtual threads tell the agent what they publish.
  void Export();

 private:
  ContextBlocks() = default;

  // Free blocks of one size, linked by `address`.
  struct FreeBlocks {
    const uint32_t record_bytes;
    ContextBlock* first = nullptr;
  };

  // REQUIRES: mutex_ is held.
  static ContextBlock* Take(FreeBlocks& free);
  void Free(ContextBlock* block);
  ContextBlock* Make(int64_t virtual_thread, const IsGone& is_gone);
  // Frees blocks whose owners are gone, in so many places of the table.
  void Sweep(size_t places, const IsGone& is_gone);
  void SweepAll(const IsGone& is_gone);

  std::mutex mutex_;
  // Guarded by mutex_, as the blocks in it.
  FreeBlocks full_{ContextBlock::kFullRecord};
  FreeBlocks small_{ContextBlock::kSmallRecord};
  bool is_exported_ = false;
  size_t held_ = 0;        // blocks in the table
  size_t next_swept_ = 0;  // place of the table
  Nanos all_swept_ns_ = 0;
};

}  // namespace jprof
