// Arena: hands out pieces of one reserved region, forward only, from any number of threads and
// handlers at once. Pieces are not freed singly; the region is released as a whole.
//
// Allocate is async-signal-safe, thread-safe and wait-free. The kernel backs a page at its first
// touch, so an unused arena costs address space only.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/memory/region.h"

namespace jprof {

class Arena {
 public:
  // REQUIRES: the region is zeroed and outlives all use of the arena.
  explicit Arena(Region region) : region_(region) {}

  // Returns `size` zeroed bytes, aligned to 16, or nullptr if the region is used up.
  void* Allocate(size_t size) {
    // Checked first, because the rounding below would wrap around for the largest sizes.
    if (size > region_.size) return nullptr;
    const size_t rounded = (size + kAlignment - 1) & ~(kAlignment - 1);
    // relaxed: pieces are disjoint. When the caller publishes a piece, it makes its writes to the
    // piece visible to the threads that read the piece.
    const size_t offset = used_.fetch_add(rounded, std::memory_order_relaxed);
    if (offset > region_.size || rounded > region_.size - offset) return nullptr;
    return static_cast<uint8_t*>(region_.data) + offset;
  }

  // Empties the arena, which uses `region` from then on. `region` can be the region that the arena
  // has used before. REQUIRES: `region` is zeroed and outlives all use of the arena; no piece is in
  // use, and no thread is in Allocate.
  void Reset(Region region) {
    region_ = region;
    used_.store(0, std::memory_order_relaxed);
  }

  // Returns the offset of a piece from the start of the region, in units of kAlignment.
  size_t PlaceOf(const void* piece) const {
    return static_cast<size_t>(static_cast<const uint8_t*>(piece) - begin()) / kAlignment;
  }

  // Returns the piece at `place` (PlaceOf), or nullptr if `place` is after the last piece.
  const void* At(size_t place) const {
    return place < std::min(used(), capacity()) / kAlignment ? begin() + place * kAlignment
                                                             : nullptr;
  }

  // Returns the number of bytes handed out, including the bytes that Allocate refused because the
  // region was used up. So the number can exceed capacity().
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  size_t capacity() const { return region_.size; }

  static constexpr size_t kAlignment = 16;

 private:
  const uint8_t* begin() const { return static_cast<const uint8_t*>(region_.data); }

  Region region_;
  std::atomic<size_t> used_{0};
};

static_assert(std::atomic<size_t>::is_always_lock_free);

}  // namespace jprof
