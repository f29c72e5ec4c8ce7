// MemoryBudget: bounds what a thread of libprofiler.so may hold for a moment in the program's
// process, such as for converting a recording. Code that polls MemoryIsShort() gives up when the
// budget of its thread is exceeded, and OutOfMemory() says so (base/memory_reserve.h).
//
// MemoryReserve, which serves every `new` and `delete` of libprofiler.so, counts them here; in other
// programs nothing is counted, nor where another library has replaced malloc and not
// malloc_usable_size. Used by one thread, which makes and destroys it; not for handlers.
#pragma once

#include <cstddef>

namespace jprof {

class MemoryBudget {
 public:
  // REQUIRES: the thread has no other.
  explicit MemoryBudget(size_t bytes);
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Count a block of malloc's for the calling thread, if it has a budget.
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
  // Exceeds the budget now if work that the caller is about to begin will: `bytes` and a quarter of
  // what is held.
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
