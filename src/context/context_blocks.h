// ContextBlocks: the memory of trace contexts, a block a thread (sigsafe/context/context_block.h).
//
// One object per process. Memory is reused and never unmapped: a handler or a reader outside of the
// process may still look at it. Thread-safe, outside of handlers.
#pragma once

#include <mutex>

#include "sigsafe/context/context_block.h"

namespace jprof {

class ContextBlocks {
 public:
  static ContextBlocks& OfProcess();

  // The calling platform thread's block, a new one if it has none; nullptr: no memory.
  ContextBlock* OfThisThread();

  // At the end of the calling platform thread, or when it detaches: it has no context any more.
  void EndThisThread();

  // The block of a virtual thread, for one more user; nullptr: no memory, or no place in the table.
  // On that thread.
  ContextBlock* Attach(int64_t virtual_thread);

  // A user less; without users the block is free. REQUIRES: the thread does not run any more.
  void Release(int64_t virtual_thread);

 private:
  ContextBlocks() = default;

  ContextBlock* Take();
  void Free(ContextBlock* block);

  std::mutex mutex_;
  ContextBlock* free_ = nullptr;  // guarded by mutex_, as all free blocks: linked by `address`
};

}  // namespace jprof
