// WalkBuffers: the memory to which handlers write walked stacks, so that these take no room on the
// stack of the interrupted thread.
//
// Each walk holds a buffer. The number of buffers limits how many walks can run at once, including
// those of preempted handlers; it does not limit the number of threads. When all buffers are taken,
// a sample is counted as lost.
//
// Async-signal-safe. Handlers get the current WalkBuffers from the WalkEnvironment, through a
// WalkScope.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/memory/region.h"
#include "sigsafe/memory/slot_pool.h"
#include "sigsafe/stack/asgct_walker.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/stack/root_budget.h"

namespace jprof {

struct WalkBuffer {
  AsgctFrame* java;     // depth + 1 entries; if the last is filled, the stack is truncated
  uint64_t* methods;    // depth entries, in the memory of `java`: a walk uses one of the two
  Frame* frames;        // depth + 1 entries, so that even a depth of 1 has room for an outcome
  uint32_t depth;       // the maximum number of frames that are kept, >= 1
  uint32_t root_depth;  // how many of the kept frames are at the root, < depth
  size_t slot;          // the number of the buffer
  RootBudget* root_budget = nullptr;  // bound of a synchronous walk; nullptr if unbounded
};

class WalkBuffers {
 public:
  static constexpr size_t kBuffers = 256;

  static constexpr size_t RegionSize(uint32_t depth) { return BytesEach(depth) * kBuffers; }

  // REQUIRES: depth >= 1, region.size >= RegionSize(depth), and the region is never unmapped.
  WalkBuffers(Region region, uint32_t depth)
      : start_(static_cast<uint8_t*>(region.data)), capacity_(depth), depths_(depth) {
    JPROF_CHECK(depth >= 1 && region.size >= RegionSize(depth));
  }

  // Returns the depth of the deepest stack that a buffer can hold.
  uint32_t capacity() const { return capacity_; }

  // Sets the number of frames that walks keep, `root_depth` of them at the root. REQUIRES: 1 <=
  // depth <= capacity(), root_depth < depth.
  void SetDepth(uint32_t depth, uint32_t root_depth) {
    JPROF_CHECK(1 <= depth && depth <= capacity_ && root_depth < depth);
    depths_.store(uint64_t{root_depth} << 32 | depth, std::memory_order_relaxed);
  }

  // True if a walk holds a buffer.
  bool AnyTaken() const { return taken_.AnyTaken(); }

  // Claims a buffer. Returns false if all are taken.
  bool Claim(WalkBuffer* buffer) {
    const size_t slot = taken_.Claim();
    if (slot == SlotPool<kBuffers>::kNone) return false;
    uint8_t* bytes = start_ + slot * BytesEach(capacity_);
    buffer->java = reinterpret_cast<AsgctFrame*>(bytes);
    buffer->methods = reinterpret_cast<uint64_t*>(bytes);
    buffer->frames = reinterpret_cast<Frame*>(buffer->java + capacity_ + 1);
    const uint64_t depths = depths_.load(std::memory_order_relaxed);
    buffer->depth = static_cast<uint32_t>(depths);
    buffer->root_depth = static_cast<uint32_t>(depths >> 32);
    buffer->slot = slot;
    return true;
  }
  void Release(const WalkBuffer& buffer) { taken_.Release(buffer.slot); }

 private:
  static constexpr size_t BytesEach(uint32_t depth) {
    return (size_t{depth} + 1) * (sizeof(AsgctFrame) + sizeof(Frame));
  }

  uint8_t* const start_;
  const uint32_t capacity_;
  std::atomic<uint64_t> depths_;  // root_depth << 32 | depth; relaxed: read once per walk
  SlotPool<kBuffers> taken_;
};

}  // namespace jprof
