// MemoryReserve: memory for allocations that malloc refuses, so that a recording can be ended in
// good order without exceptions (docs/adr/0012-out-of-memory.md).
//
// Every `new` of libprofiler.so is served here (agent/operator_new.cc), by malloc while malloc
// succeeds. From malloc's first refusal on, memory is short: requests that malloc refuses are
// served from reserved address space, which costs no RAM until used, and bulk work polls
// MemoryIsShort() and gives up. Memory stays short until Prepare.
//
// The reserve grows with the largest request so far. Containers double when they grow, so the
// reserve can serve at least the next request of the largest container. Thread-safe; not for signal
// handlers.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

#include "base/memory_budget.h"
#include "base/result.h"

namespace jprof {

class MemoryReserve {
 public:
  // The size of a new region, in bytes, is twice kMinimum plus twice the largest request so far.
  // Requests above kLargestReserved do not make the reserve grow.
  static constexpr size_t kMinimum = size_t{4} << 20;
  static constexpr size_t kLargestReserved = size_t{64} << 20;

  constexpr MemoryReserve() = default;
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  // Returns the reserve of libprofiler.so. In other programs, such as jprof, it is never used and
  // never short.
  static MemoryReserve& OfProcess();

  // Reserves memory unless enough is reserved already, and ends a shortage. Changes nothing on
  // failure.
  Status Prepare();

  // Allocates a block; null if malloc fails and the reserve is too small. `alignment`: a power of
  // two.
  void* Allocate(size_t bytes, size_t alignment = alignof(max_align_t));
  void Free(void* block);

  bool IsShort() const { return is_short_.load(std::memory_order_relaxed); }

 private:
  struct Region;

  bool TryPrepare();
  void Retire();
  bool Replace(size_t largest);
  void GrowFor(size_t request);
  void* AllocateFromReserve(size_t bytes, size_t alignment);
  bool IsFromReserve(const void* block);

  // The three atomics are accessed in relaxed order, since they publish no other memory. A thread
  // that frees a block of the reserve has received the block from the thread that allocated it, and
  // so also sees was_taken_from_ set.
  std::atomic<size_t> largest_{SIZE_MAX};  // largest request; a larger one makes the reserve grow
  std::atomic<bool> is_short_{false};
  std::atomic<bool> was_taken_from_{false};  // true forever once the reserve has served a request

  std::mutex mutex_;  // guards region_ and used_; no memory is allocated or freed under it
  Region* region_ = nullptr;
  Region* used_ = nullptr;  // earlier regions, until all their blocks are free
};

// True if malloc has failed, or the calling thread has exceeded its MemoryBudget: the caller then
// gives up and returns OutOfMemory().
inline bool MemoryIsShort() {
  return MemoryReserve::OfProcess().IsShort() || MemoryBudget::IsExceeded();
}

Error OutOfMemory();

}  // namespace jprof
