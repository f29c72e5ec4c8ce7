// StoredIterator: an iterator over frames that were stored before, for a callback on the calling
// thread.
//
// Not for handlers: if all iterators are in use, the constructor waits.
#pragma once

#include "profiler/asgst.h"
#include "sigsafe/asgst/stack_iterator.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof::asgst {

class StoredIterator {
 public:
  // REQUIRES: the frames outlive the object.
  explicit StoredIterator(const StoredFrames& stack) {
    constexpr Nanos kPause = 1'000'000;
    while ((cell_ = ClaimIterator()) == nullptr) RawSleep(kPause);
    cell_->iterator.BeginStored(stack);
  }
  ~StoredIterator() { ReleaseIterator(cell_); }
  StoredIterator(const StoredIterator&) = delete;
  StoredIterator& operator=(const StoredIterator&) = delete;

  ASGST_Iterator* get() const { return reinterpret_cast<ASGST_Iterator*>(cell_); }

 private:
  IteratorCell* cell_ = nullptr;
};

}  // namespace jprof::asgst
