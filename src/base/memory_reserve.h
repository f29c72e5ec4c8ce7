// MemoryReserve: memory for those who are refused it by the C library, so that a recording can be
// given up in good order where there are no exceptions (docs/adr/0012-out-of-memory.md).
//
// Every `new` of libprofiler.so comes here (agent/operator_new.cc). While malloc gives, that is
// all. The first refusal makes memory short: from then on refused requests are served from address
// space that was set aside, without RAM, and whoever works in bulk sees MemoryIsShort() at its next
// look and gives up. Memory stays short until Prepare.
//
// What is set aside follows the largest request so far: containers double, so the next request of
// one that grows can be served, and much besides. Thread-safe; not for handlers.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

#include "base/result.h"

namespace jprof {

class MemoryReserve {
 public:
  static constexpr size_t kMinimum = size_t{4} << 20;           // beside the largest request, twice
  static constexpr size_t kLargestReserved = size_t{64} << 20;  // the reserve grows no further

  constexpr MemoryReserve() = default;
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  // That of libprofiler.so. Other programs never ask it for memory, and it is never short there.
  static MemoryReserve& OfProcess();

  // Sets memory aside, unless there is enough. Memory is no longer short. An error if that cannot
  // be had, and then nothing has changed.
  Status Prepare();

  // Null if malloc refused and the reserve is too small. `alignment`: a power of two.
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

  // Relaxed, all three: they say nothing about other memory. Whoever frees a block that was taken
  // has it from whoever took it, and so sees was_taken_from_.
  std::atomic<size_t> largest_{SIZE_MAX};  // request so far; beyond it the reserve has to grow
  std::atomic<bool> is_short_{false};
  std::atomic<bool> was_taken_from_{false};  // ever

  std::mutex mutex_;  // guards all below; nothing is allocated or freed under it
  Region* region_ = nullptr;
  Region* used_ = nullptr;  // earlier ones, until all their blocks are free
};

// Memory has been refused: whoever sees it gives up, with OutOfMemory() for an error.
inline bool MemoryIsShort() { return MemoryReserve::OfProcess().IsShort(); }

Error OutOfMemory();

}  // namespace jprof
