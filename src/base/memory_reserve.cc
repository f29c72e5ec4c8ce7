#include "base/memory_reserve.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace jprof {

// A region of the reserve. This header is at the start of the region's memory, so that a region
// needs no allocation.
struct MemoryReserve::Region {
  size_t size;
  size_t taken;   // bytes in use from the start of the region, including this header
  size_t blocks;  // number of blocks in use
  Region* next;   // next in the list of earlier regions

  uintptr_t Begin() const { return reinterpret_cast<uintptr_t>(this); }
  bool Holds(const void* block) const {
    return reinterpret_cast<uintptr_t>(block) - Begin() < size;
  }
  // Returns the offset of the first free address that is a multiple of `alignment`.
  size_t FreeAt(size_t alignment) const {
    return ((Begin() + taken + alignment - 1) & ~(alignment - 1)) - Begin();
  }
};

namespace {

constexpr size_t kInitialLargest = size_t{1} << 20;  // smaller requests are not tracked
constexpr size_t kLargestPage = size_t{64} << 10;  // the largest page size of the supported kernels

constinit MemoryReserve g_reserve;

}  // namespace

MemoryReserve& MemoryReserve::OfProcess() { return g_reserve; }

Status MemoryReserve::Prepare() {
  if (TryPrepare()) return {};
  return Error("out of memory: no memory can be set aside for the end of a recording");
}

bool MemoryReserve::TryPrepare() {
  const std::lock_guard lock(mutex_);
  if (region_ != nullptr && region_->blocks == 0 && region_->taken != sizeof(Region)) {
    const size_t size = region_->size;
    madvise(region_, size, MADV_DONTNEED);
    *region_ = {size, sizeof(Region), 0, nullptr};
  }
  const size_t largest = largest_.load(std::memory_order_relaxed);
  const bool has_room =
      region_ != nullptr && region_->size - region_->taken >= kMinimum + 2 * largest;
  if (!has_room && !Replace(kInitialLargest)) return false;
  is_short_.store(false, std::memory_order_relaxed);
  return true;
}

bool MemoryReserve::Replace(size_t largest) {
  // Twice the minimum, so that a few blocks that stay allocated do not use up the reserve.
  const size_t bytes = 2 * kMinimum + 2 * largest;
  void* const begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return false;
  if (region_ != nullptr) Retire();
  region_ = static_cast<Region*>(begin);
  *region_ = {bytes, sizeof(Region), 0, nullptr};
  largest_.store(largest, std::memory_order_relaxed);
  return true;
}

// Unmaps the current region. If blocks are still in use, keeps the pages up to the last block.
void MemoryReserve::Retire() {
  const size_t kept = region_->blocks == 0 ? 0 : region_->FreeAt(kLargestPage);
  if (kept < region_->size) {
    munmap(reinterpret_cast<char*>(region_) + kept, region_->size - kept);
  }
  if (kept == 0) return;
  region_->size = std::min(kept, region_->size);
  region_->next = used_;
  used_ = region_;
}

void* MemoryReserve::Allocate(size_t bytes, size_t alignment) {
  if (bytes > largest_.load(std::memory_order_relaxed)) [[unlikely]] {
    GrowFor(bytes);
  }
  bytes = std::max<size_t>(bytes, 1);
  void* block = nullptr;
  if (alignment <= alignof(max_align_t)) {
    block = malloc(bytes);
  } else if (posix_memalign(&block, alignment, bytes) != 0) {
    block = nullptr;
  }
  if (block != nullptr) [[likely]] {
    MemoryBudget::OnAllocated(block);
    return block;
  }
  return AllocateFromReserve(bytes, alignment);
}

void MemoryReserve::Free(void* block) {
  if (was_taken_from_.load(std::memory_order_relaxed) && IsFromReserve(block)) return;
  MemoryBudget::OnFree(block);
  free(block);
}

void MemoryReserve::GrowFor(size_t request) {
  const std::lock_guard lock(mutex_);
  if (request > kLargestReserved || IsShort()) return;
  if (request <= largest_.load(std::memory_order_relaxed)) return;
  // If the reserve cannot grow, memory counts as short already, although malloc might still serve
  // this request.
  if (!Replace(request)) is_short_.store(true, std::memory_order_relaxed);
}

void* MemoryReserve::AllocateFromReserve(size_t bytes, size_t alignment) {
  const std::lock_guard lock(mutex_);
  is_short_.store(true, std::memory_order_relaxed);
  if (region_ == nullptr) return nullptr;
  const size_t begin = region_->FreeAt(alignment);
  if (begin > region_->size || bytes > region_->size - begin) return nullptr;
  was_taken_from_.store(true, std::memory_order_relaxed);
  region_->taken = begin + bytes;
  ++region_->blocks;
  return reinterpret_cast<char*>(region_) + begin;
}

bool MemoryReserve::IsFromReserve(const void* block) {
  const std::lock_guard lock(mutex_);
  if (region_ != nullptr && region_->Holds(block)) {
    --region_->blocks;
    return true;
  }
  for (Region** place = &used_; *place != nullptr; place = &(*place)->next) {
    Region* const used = *place;
    if (!used->Holds(block)) continue;
    if (--used->blocks == 0) {
      *place = used->next;
      munmap(used, used->size);
    }
    return true;
  }
  return false;
}

Error OutOfMemory() {
  if (MemoryReserve::OfProcess().IsShort() || !MemoryBudget::IsExceeded()) {
    return Error("out of memory, given up; what was complete before is kept");
  }
  return Error("it would take too much of the program's memory: use jprof convert");
}

}  // namespace jprof
