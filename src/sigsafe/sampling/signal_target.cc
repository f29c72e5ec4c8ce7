#include "sigsafe/sampling/signal_target.h"

#include <atomic>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

// The owner plus 1, by descriptor; 0 if the descriptor is not the profiler's. The array takes only
// address space: a page costs RAM once a descriptor in it is used. relaxed: an owner is set before
// a signal can name its descriptor.
std::atomic<uint32_t> g_owners[kMaxOwnedDescriptor];
static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace

void SetDescriptorOwner(int fd, uint32_t slot_index) {
  JPROF_CHECK(0 <= fd && fd < kMaxOwnedDescriptor && slot_index != kNoOwner);
  g_owners[fd].store(slot_index + 1, std::memory_order_relaxed);
}

void ClearDescriptorOwner(int fd) {
  JPROF_CHECK(0 <= fd && fd < kMaxOwnedDescriptor);
  g_owners[fd].store(0, std::memory_order_relaxed);
}

uint32_t OwnerOfDescriptor(int fd) {
  if (fd < 0 || fd >= kMaxOwnedDescriptor) return kNoOwner;
  return g_owners[fd].load(std::memory_order_relaxed) - 1;
}

}  // namespace jprof
