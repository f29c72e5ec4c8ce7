// ContextBlocks: the memory of trace contexts, a block a thread (sigsafe/context/context_block.h).
//
// A virtual thread has a small block until its tags need a full one. One object per process. Memory
// is reused and never unmapped: a handler or a reader outside of the process may still look at it.
// Thread-safe, outside of handlers.
#pragma once

#include <functional>
#include <mutex>

#include "sigsafe/context/context_block.h"

namespace jprof {

class ContextBlocks {
 public:
  static ContextBlocks& OfProcess();

  // The calling platform thread's block, a new one if it has none; nullptr: no memory, or the
  // thread ends.
  ContextBlock* OfThisThread();

  // At the end of the calling platform thread, or when it detaches: it has no context any more,
  // and gets none until it begins as a Java thread once more.
  void EndThisThread();
  void BeginThisThread();

  // The block of a virtual thread, for one more user; nullptr: no memory, or no place in the table.
  // On that thread.
  ContextBlock* Attach(int64_t virtual_thread);

  // A full block with the same context takes the place of the small one. `hand_over` gives it to
  // the user before; it returns whether it could. False, and nothing has changed: the block is
  // full, has other users, or there is no memory. On that thread.
  bool Grow(int64_t virtual_thread, const std::function<bool(ContextBlock*)>& hand_over);

  // A user less; without users the block is free. REQUIRES: the thread does not run any more.
  void Release(int64_t virtual_thread);

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

  std::mutex mutex_;
  // Guarded by mutex_, as the blocks in it.
  FreeBlocks full_{ContextBlock::kFullRecord};
  FreeBlocks small_{ContextBlock::kSmallRecord};
  bool is_exported_ = false;
};

}  // namespace jprof
