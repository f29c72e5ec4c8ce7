#include "sigsafe/validation/shadow_stacks.h"

namespace jprof {
namespace {

// 2^64 divided by the golden ratio, as in ShadowProbes.java.
constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;

}  // namespace

size_t ShadowStacks::FirstPlaceOf(int64_t thread) {
  return (static_cast<uint64_t>(thread) * kSpread) >> (64 - kPlaceBits);
}

ShadowStack* ShadowStacks::Find(int64_t thread) const {
  const size_t first = FirstPlaceOf(thread);
  for (size_t probe = 0; probe < kProbes; ++probe) {
    const size_t place = (first + probe) & (kPlaces - 1);
    if (owners()[place].load(std::memory_order_relaxed) == thread) return &stacks()[place];
  }
  return nullptr;
}

ShadowStack* ShadowStacks::Claim(int64_t thread) const {
  const size_t first = FirstPlaceOf(thread);
  for (size_t probe = 0; probe < kProbes; ++probe) {
    const size_t place = (first + probe) & (kPlaces - 1);
    int64_t free = 0;
    // acquire: the last owner has emptied the stack before it released the place.
    if (owners()[place].compare_exchange_strong(free, thread, std::memory_order_acquire)) {
      return &stacks()[place];
    }
  }
  return nullptr;
}

}  // namespace jprof
