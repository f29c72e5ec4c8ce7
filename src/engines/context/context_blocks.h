// ContextBlocks: the memory of trace contexts, one block per thread
// (sigsafe/sampling/context_block.h).
//
// A platform thread has a full-size block. A virtual thread has a small block until its tags need a
// full-size one; a table leads from the ids of virtual threads to their blocks. Memory is reused
// and never unmapped: a handler or a reader outside the process might still look at it.
//
// A block has an owner, which is opaque here: a reference to the Java object that writes the block
// (context_class.cc). The owner of a virtual thread's block is a weak reference. The Java object
// is kept by a thread-local variable, which ends with the thread or with the class loader of the
// variable. Once the object is gone, the block can be freed.
//
// One object per process.
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

  // Returns the block of the calling platform thread, which is made if the thread has none. Returns
  // nullptr if there is no memory or the thread has ended as a Java thread. Only the calling thread
  // may set the block's `owner`.
  ContextBlock* OfThisThread();

  // Frees the block of the calling platform thread, which is ending or detaching. The thread gets
  // no other block until BeginThisThread. Returns the block's owner; nullptr if the thread had no
  // block or its block had no owner.
  [[nodiscard]] void* EndThisThread();
  // Notes that the calling platform thread starts as a Java thread, perhaps not for the first time.
  void BeginThisThread();

  // A function that returns true if the object to which `owner` refers is gone. If so, the function
  // has deleted the reference. Called with the lock held.
  using IsGone = std::function<bool(void* owner)>;

  // A block that ClaimBlock returns, and the owner that the block had.
  struct Claim {
    ContextBlock* block = nullptr;
    void* owner = nullptr;  // nullptr: the block had no owner
  };
  // Returns the block of the calling virtual thread, and takes the owner out of the block. A block
  // without an owner is never freed by a sweep, so it belongs to the thread until Own or Release.
  // If the thread has no block and `is_made` is true, makes one, and frees some blocks whose owners
  // are gone. The returned `block` is nullptr if the thread has no block and none was made:
  // `is_made` is false, there is no memory, or the table has no free place.
  Claim ClaimBlock(int64_t virtual_thread, bool is_made, const IsGone& is_gone);

  // Sets the owner of `block` and returns the block's previous owner. Returns nullopt and changes
  // nothing if `block` is no longer the block of the virtual thread.
  [[nodiscard]] std::optional<void*> Own(int64_t virtual_thread, ContextBlock* block, void* owner);

  // Frees the block of the calling virtual thread. REQUIRES: the thread has claimed the block.
  void Release(int64_t virtual_thread);

  // Returns a full-size block that belongs to no thread, to be passed to Grow or GiveBack; nullptr
  // if there is no memory.
  ContextBlock* TakeFull();
  // Replaces the calling virtual thread's small block by `full`, which gets the context and the
  // owner of the small block. If the thread has no small block, frees `full` and returns false.
  // REQUIRES: `full` comes from TakeFull.
  [[nodiscard]] bool Grow(int64_t virtual_thread, ContextBlock* full);
  // Frees `full`. REQUIRES: `full` comes from TakeFull.
  void GiveBack(ContextBlock* full);

  // Makes Java report to the agent, from now on, which records virtual threads publish
  // (mounted_contexts.h).
  void Export();

 private:
  ContextBlocks() = default;

  // The free blocks of one size, as a list linked by their members `address`.
  struct FreeBlocks {
    const uint32_t record_bytes;
    ContextBlock* first = nullptr;
  };

  // The functions below require that mutex_ is held.

  // Returns a block from the list; nullptr if the list is empty and there is no memory.
  static ContextBlock* Take(FreeBlocks& free);
  // Clears the block and adds it to the list of its size.
  void Free(ContextBlock* block);
  // Makes a small block for the virtual thread and adds it to the table; nullptr: no memory, or no
  // free place.
  ContextBlock* Make(int64_t virtual_thread, const IsGone& is_gone);
  // Visits the next `places` places of the table and frees blocks whose owners are gone.
  void Sweep(size_t places, const IsGone& is_gone);
  // Sweeps the whole table, unless it was swept as a whole within the last kSweepInterval.
  void SweepAll(const IsGone& is_gone);

  std::mutex mutex_;  // guards all members below, and the free blocks
  FreeBlocks full_{ContextBlock::kFullRecord};
  FreeBlocks small_{ContextBlock::kSmallRecord};
  bool is_exported_ = false;
  size_t held_ = 0;         // blocks in the table
  size_t next_swept_ = 0;   // next place of the table to sweep
  Nanos all_swept_ns_ = 0;  // time of the last sweep of the whole table
};

}  // namespace jprof
