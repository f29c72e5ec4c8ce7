// ContextBlocks: the memory of trace contexts, one block per thread
// (sigsafe/sampling/context_block.h).
//
// A virtual thread has a small block until its tags need a full one. One object per process. Memory
// is reused and never unmapped: a handler or a reader outside the process might still look at it.
//
// A block has an owner, which is opaque here: a reference to the Java object that writes the block
// (context_buffers.h). The owner of a virtual thread's block is a weak reference, and the block is
// free once nothing else refers to the object: the thread-local variable that does ends with the
// thread or with the class loader of the variable.
//
// Thread-safe; not for handlers.
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

  // Returns the calling platform thread's block, a new one if it has none; nullptr: no memory, or
  // the thread is ending. Only the thread sets the block's `owner`.
  ContextBlock* OfThisThread();

  // Takes the block of the calling platform thread, which ends or detaches: it gets no other one
  // until BeginThisThread. Returns the owner; nullptr: none.
  [[nodiscard]] void* EndThisThread();
  // Notes that the calling platform thread starts as a Java thread, perhaps once more.
  void BeginThisThread();

  // True if the object that the owner refers to is gone; then the function gives the reference up.
  // Called with the lock held.
  using IsGone = std::function<bool(void* owner)>;

  // Returns the block of the calling virtual thread, and takes its owner out of it: a block without
  // an owner belongs to the thread until Own or Release. `is_made`: makes a block if there is none.
  // Returns nullptr if there is no block, or no memory or no place in the table for a new one. With
  // each block that is made, some blocks whose owners are gone are freed.
  struct Claim {
    ContextBlock* block = nullptr;
    void* owner = nullptr;  // nullptr: the block has none yet
  };
  Claim ClaimBlock(int64_t virtual_thread, bool is_made, const IsGone& is_gone);

  // Sets the owner of the block and returns the owner before. Returns nullopt and changes nothing
  // if the thread has another block by now.
  [[nodiscard]] std::optional<void*> Own(int64_t virtual_thread, ContextBlock* block, void* owner);

  // Frees the block of the calling virtual thread. REQUIRES: it was claimed.
  void Release(int64_t virtual_thread);

  // Returns a full block without a thread, for Grow or GiveBack; nullptr: no memory.
  ContextBlock* TakeFull();
  // Replaces the calling virtual thread's small block by `full`, with the same context and owner.
  // Returns false, and gives `full` back, if the thread has no small block.
  [[nodiscard]] bool Grow(int64_t virtual_thread, ContextBlock* full);
  void GiveBack(ContextBlock* full);

  // Makes all virtual threads report to the agent which records they publish, from now on.
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
  // Frees blocks whose owners are gone, in the next `places` of the table.
  void Sweep(size_t places, const IsGone& is_gone);
  void SweepAll(const IsGone& is_gone);

  std::mutex mutex_;  // guards all below, and the free blocks
  FreeBlocks full_{ContextBlock::kFullRecord};
  FreeBlocks small_{ContextBlock::kSmallRecord};
  bool is_exported_ = false;
  size_t held_ = 0;        // blocks in the table
  size_t next_swept_ = 0;  // next place of the table to sweep
  Nanos all_swept_ns_ = 0;
};

}  // namespace jprof
