#include "base/memory_reserve.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace jprof {
namespace {

constexpr size_t kAtFirst = size_t{1} << 20;  // smaller requests are not looked at

constinit MemoryReserve g_reserve;

}  // namespace

MemoryReserve& MemoryReserve::OfProcess() { return g_reserve; }

Status MemoryReserve::Prepare() {
  if (TryPrepare()) return {};
  return Error("out of memory: no memory can be set aside for the end of a recording");
}

bool MemoryReserve::TryPrepare() {
  const std::lock_guard lock(mutex_);
  if (region_.taken != 0 && region_.blocks == 0) {
    madvise(region_.begin, region_.size, MADV_DONTNEED);
    region_.taken = 0;
  }
  const size_t largest = largest_.load(std::memory_order_relaxed);
  const bool has_room = region_.size != 0 && region_.size - region_.taken >= kLeast + 2 * largest;
  if (!has_room && !Replace(kAtFirst)) return false;
  is_short_.store(false, std::memory_order_relaxed);
  return true;
}

bool MemoryReserve::Replace(size_t largest) {
  if (region_.blocks != 0 && used_count_ == kMaxUsed) return false;
  // Twice the least: few blocks that stay do not take from it what is needed.
  const size_t bytes = 2 * kLeast + 2 * largest;
  void* const begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return false;
  if (region_.blocks != 0) {
    used_[used_count_++] = region_;
  } else if (region_.size != 0) {
    munmap(region_.begin, region_.size);
  }
  region_ = {static_cast<char*>(begin), bytes, 0, 0};
  largest_.store(largest, std::memory_order_relaxed);
  return true;
}

void* MemoryReserve::Allocate(size_t bytes, size_t alignment) {
  if (bytes > largest_.load(std::memory_order_relaxed)) [[unlikely]] {
    Follow(bytes);
  }
  bytes = std::max<size_t>(bytes, 1);
  void* block = nullptr;
  if (alignment <= alignof(max_align_t)) {
    block = malloc(bytes);
  } else if (posix_memalign(&block, alignment, bytes) != 0) {
    block = nullptr;
  }
  if (block != nullptr) [[likely]] {
    return block;
  }
  return Take(bytes, alignment);
}

void MemoryReserve::Free(void* block) {
  if (was_taken_from_.load(std::memory_order_relaxed) && IsFromReserve(block)) return;
  free(block);
}

void MemoryReserve::Follow(size_t request) {
  const std::lock_guard lock(mutex_);
  if (request > kLargestFollowed || IsShort()) return;
  if (request <= largest_.load(std::memory_order_relaxed)) return;
  // If not, there may be just enough for this request, but not for the next.
  if (!Replace(request)) is_short_.store(true, std::memory_order_relaxed);
}

void* MemoryReserve::Take(size_t bytes, size_t alignment) {
  const std::lock_guard lock(mutex_);
  is_short_.store(true, std::memory_order_relaxed);
  const size_t begin = (region_.taken + alignment - 1) & ~(alignment - 1);
  if (begin > region_.size || bytes > region_.size - begin) return nullptr;
  was_taken_from_.store(true, std::memory_order_relaxed);
  region_.taken = begin + bytes;
  ++region_.blocks;
  return region_.begin + begin;
}

bool MemoryReserve::IsFromReserve(const void* block) {
  const std::lock_guard lock(mutex_);
  if (region_.Holds(block)) {
    --region_.blocks;
    return true;
  }
  Region* const end = used_ + used_count_;
  Region* const used = std::find_if(used_, end, [&](const Region& r) { return r.Holds(block); });
  if (used == end) return false;
  if (--used->blocks == 0) {
    munmap(used->begin, used->size);
    *used = used_[--used_count_];
  }
  return true;
}

Error OutOfMemory() { return Error("out of memory, given up; what was complete before is kept"); }

}  // namespace jprof
