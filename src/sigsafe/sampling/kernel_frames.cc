#include "sigsafe/sampling/kernel_frames.h"

#include <algorithm>
#include <atomic>

#include "sigsafe/base/check.h"
#include "sigsafe/os/perf_ring.h"

namespace jprof {
namespace {

// nullptr until kernel frames have been requested. Stored with release by SetKernelRings, loaded
// with acquire by handlers.
std::atomic<const KernelRings*> g_rings{nullptr};
static_assert(std::atomic<const KernelRings*>::is_always_lock_free);

}  // namespace

void SetKernelRings(const KernelRings* rings) {
  JPROF_CHECK(rings != nullptr && rings->base != nullptr);
  g_rings.store(rings, std::memory_order_release);
}

uint32_t PushKernelFrames(uint32_t slot_index, Frame* frames, uint32_t room) {
  const KernelRings* rings = g_rings.load(std::memory_order_acquire);
  if (rings == nullptr) return 0;
  uint64_t addresses[kMostKernelFrames];
  const uint8_t* ring = rings->base + size_t{slot_index} * 2 * rings->page_bytes;
  const uint32_t count =
      NewestKernelChain(ring, rings->page_bytes, addresses, std::min(room, kMostKernelFrames));
  for (uint32_t i = 0; i < count; ++i) {
    // All addresses except the first are return addresses: they come after the call instruction.
    frames[i] = {i == 0 ? addresses[i] : addresses[i] - 1, -1, FrameKind::kKernel};
  }
  return count;
}

}  // namespace jprof
