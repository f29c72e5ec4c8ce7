// StackMemory: words of the walked thread's stack, read without a fault.
//
// Async-signal-safe. One object for each walk, on the walked thread; about 1 KiB. Words within the
// known bounds of the stack are read by plain loads. The bounds are unknown on stacks of threads that
// the JVM does not report, such as its compilers'. There, and outside of the bounds, words are read
// by guarded loads. If no handler catches their faults, they are read by safe loads, a block at a
// time: that costs two system calls per KiB, and the copy of a block is not updated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/os/guarded_load.h"

namespace jprof {

class StackMemory {
 public:
  // `bounds` are those of the thread's stack. Words from `sp` upwards are read by plain loads if sp
  // lies within the bounds and the frame of this constructor lies below sp on the same stack. The
  // stack is in use from that frame up to sp, so no guard page lies between the two. `faults` is the
  // effect of a fault in a guarded load on this thread.
  StackMemory(uint64_t sp, const StackBounds& bounds, LoadFaults faults);

  LoadFaults faults() const { return faults_; }

  // Loads a word. Returns false if it is unreadable.
  bool Load(uint64_t address, uint64_t* word);

  // True if `sp` can be the end of a frame: it is on the stack, or the stack's bounds are unknown.
  bool MayHoldFrame(uint64_t sp) const;

 private:
  bool LoadSafely(uint64_t address, uint64_t* word);

  static constexpr size_t kBlock = 1024;

  const LoadFaults faults_;
  uint64_t plain_begin_ = 0;  // words of [plain_begin_, plain_end_) are readable
  uint64_t plain_end_ = 0;
  StackBounds bounds_;
  uint64_t block_begin_ = 0;  // block_ holds [block_begin_, block_begin_ + block_size_)
  size_t block_size_ = 0;
  alignas(8) char block_[kBlock];
};

}  // namespace jprof
