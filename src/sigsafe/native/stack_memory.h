// StackMemory: words of the walked thread's stack, read without a fault.
//
// Async-signal-safe. An object of one walk, on the thread whose stack it is; about 1 KiB. Where the
// bounds of the stack are known words are plain loads; all others go through safe loads, a block at
// a time, so that a walk on an unknown stack costs two system calls per KiB. What is in the block
// does not change while the object lives.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/base/stack_bounds.h"

namespace jprof {

class StackMemory {
 public:
  // `bounds`: of the thread's stack. Plain loads are used from `sp` upwards if sp lies within and
  // the calling handler runs below it on the same stack: the kernel has written its frame there, so
  // no guard page lies between.
  StackMemory(uint64_t sp, const StackBounds& bounds);

  // False if the word is not there.
  bool Load(uint64_t address, uint64_t* word);

  // Whether frames may end there: below or at the stack's end, if that is known.
  bool MayHoldFrame(uint64_t sp) const;

 private:
  bool LoadSafely(uint64_t address, uint64_t* word);

  static constexpr size_t kBlock = 1024;

  uint64_t plain_begin_ = 0;  // words of [plain_begin_, plain_end_) are readable
  uint64_t plain_end_ = 0;
  StackBounds bounds_;
  uint64_t block_begin_ = 0;  // block_ holds [block_begin_, block_begin_ + block_size_)
  size_t block_size_ = 0;
  alignas(8) char block_[kBlock];
};

}  // namespace jprof
