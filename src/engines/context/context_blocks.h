// ContextBlocks is the memory of trace contexts: one block per thread
// (sigsafe/sampling/context_block.h).
//
// A platform thread has a full-size block. A virtual thread has a small block until its tags need a
// full-size one; a table leads from the ids of virtual threads to their blocks. Memory is reused
// and never unmapped, because a signal handler or a reader outside the process might still read it.
//
// The owner of a block is a reference to the Java object through which Java writes to the block
// (context_class.cc); it is opaque here. The owner of a virtual thread's block is a weak reference.
// A thread-local variable of Java keeps the Java object alive until the thread ends or the
// variable's class loader is unloaded. Once the Java object is gone, the block can be freed.
//
// One object per process. Thread-safe; not for signal handlers.
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

  // Returns the block of the calling platform thread, and makes one if the thread has none. Returns
  // nullptr if there is no memory or the thread has ended as a Java thread. Only the calling thread
  // may set the block's `owner`.
  ContextBlock* OfThisThread();

  // Frees the block of the calling platform thread, which is ending or detaching. The thread gets
  // no other block until BeginThisThread. Returns the block's owner; nullptr if the thread had no
  // block or its block had no owner.
  [[nodiscard]] void* EndThisThread();
  // Allows the calling platform thread to have a block. Called when the thread starts as a Java
  // thread. A thread that has detached from the JVM can attach, and so start, again.
  void BeginThisThread();

  // A function that returns true, and deletes the reference `owner`, if the Java object to which
  // `owner` refers is gone. Otherwise it returns false. Called with mutex_ held.
  using IsGone = std::function<bool(void* owner)>;

  // The result of ClaimBlock.
  struct Claim {
    ContextBlock* block = nullptr;
    void* owner = nullptr;  // the owner that the block had; nullptr if it had none
  };
  // Returns the block of the calling virtual thread, and removes the owner from the block. No sweep
  // frees a block without an owner, so the thread keeps the block until it calls Own() or
  // Release(). If the thread has no block and `is_made` is true, makes a block, and frees some
  // blocks whose Java objects are gone. Claim::block is nullptr if the thread has no block and
  // `is_made` is false, if there is no memory, or if the table is full.
  Claim ClaimBlock(int64_t virtual_thread, bool is_made, const IsGone& is_gone);

  // Sets the owner of `block` and returns the block's previous owner. Returns nullopt and changes
  // nothing if `block` is no longer the block of the virtual thread.
  [[nodiscard]] std::optional<void*> Own(int64_t virtual_thread, ContextBlock* block, void* owner);

  // Frees the block of the calling virtual thread. REQUIRES: the thread has claimed the block.
  void Release(int64_t virtual_thread);

  // Returns a full-size block that belongs to no thread, or nullptr if there is no memory. The
  // caller has to pass the block to Grow or GiveBack.
  ContextBlock* TakeFull();
  // Replaces the calling virtual thread's small block by `full`, which gets the context and the
  // owner of the small block. If the thread has no small block, frees `full` and returns false.
  // REQUIRES: `full` comes from TakeFull.
  [[nodiscard]] bool Grow(int64_t virtual_thread, ContextBlock* full);
  // Frees `full`. REQUIRES: `full` comes from TakeFull.
  void GiveBack(ContextBlock* full);

  // Makes Java call MountedContexts::Show, from now on, whenever a virtual thread publishes a
  // record.
  void Export();

 private:
  ContextBlocks() = default;

  // The free blocks of one size, as a list linked by their members `address`.
  struct FreeBlocks {
    const uint32_t record_bytes;
    ContextBlock* first = nullptr;
  };

  // The functions below require that mutex_ is held.

  // Returns a block from the list, which is refilled if it is empty; nullptr if there is no memory.
  static ContextBlock* Take(FreeBlocks& free);
  // Clears the block and adds it to the list of its size.
  void Free(ContextBlock* block);
  // Makes a small block for the virtual thread and adds it to the table. Returns nullptr if there
  // is no memory or the table is full.
  ContextBlock* Make(int64_t virtual_thread, const IsGone& is_gone);
  // Visits the next `places` places of the table and frees the blocks whose Java objects are gone.
  void Sweep(size_t places, const IsGone& is_gone);
  // Sweeps the whole table, unless SweepAll has already swept it within the last kSweepInterval.
  void SweepAll(const IsGone& is_gone);

  std::mutex mutex_;  // guards all members below, and the free blocks
  FreeBlocks full_{ContextBlock::kFullRecord};
  FreeBlocks small_{ContextBlock::kSmallRecord};
  bool is_exported_ = false;
  size_t held_ = 0;         // blocks in the table
  size_t next_swept_ = 0;   // next place of the table to sweep
  Nanos all_swept_ns_ = 0;  // when SweepAll last swept the table
};

}  // namespace jprof
