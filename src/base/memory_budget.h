// MemoryBudget: bounds the memory that a thread of libprofiler.so may hold temporarily in the
// program's process, for example to convert a recording. When the budget of a thread is exceeded,
// code of the thread that polls MemoryIsShort() gives up and returns the error OutOfMemory()
// (base/memory_reserve.h).
//
// MemoryReserve, which serves every `new` and `delete` of libprofiler.so, reports the blocks to the
// budget. Nothing is counted in other programs, such as jprof, or if another library has replaced
// malloc but not malloc_usable_size.
//
// One thread creates, uses and destroys a budget. Not for signal handlers.
#pragma once

#include <cstddef>

namespace jprof {

class MemoryBudget {
 public:
  // Starts to count for the calling thread, up to `bytes`. REQUIRES: the thread has no other
  // budget.
  explicit MemoryBudget(size_t bytes);
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // OnAllocated adds a block of malloc to the budget of the calling thread, and OnFree subtracts
  // it. They do nothing if the thread has no budget.
  static void OnAllocated(void* block) {
    if (of_thread_ != nullptr) [[unlikely]] {
      of_thread_->Count(block);
    }
  }
  static void OnFree(void* block) {
    if (of_thread_ != nullptr) [[unlikely]] {
      of_thread_->Discount(block);
    }
  }
  // Marks the budget as exceeded if the work that the caller is about to start would exceed it: the
  // work is assumed to need `bytes`, plus a quarter of the memory that the thread holds now.
  static void Expect(size_t bytes);

  static bool IsExceeded() { return of_thread_ != nullptr && of_thread_->is_exceeded_; }

 private:
  void Count(void* block);
  void Discount(void* block);

  static thread_local MemoryBudget* of_thread_;

  const size_t most_;
  const bool counts_;
  size_t held_ = 0;
  bool is_exceeded_ = false;
};

}  // namespace jprof
