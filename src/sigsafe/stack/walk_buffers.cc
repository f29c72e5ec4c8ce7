#include "sigsafe/stack/walk_buffers.h"

namespace jprof {
bool WalkBuffers::Claim(WalkBuffer* buffer) {
  const size_t slot = taken_.Claim();
  if (slot == SlotPool<kBuffers>::kNone) return false;
  uint8_t* bytes = start_ + slot * BytesEach(capacity_);
  buffer->java = reinterpret_cast<AsgctFrame*>(bytes);
  buffer->frames = reinterpret_cast<Frame*>(buffer->java + capacity_ + 1);
  const uint64_t depths = depths_.load(std::memory_order_relaxed);
  buffer->depth = static_cast<uint32_t>(depths);
  buffer->root_depth = static_cast<uint32_t>(depths >> 32);
  buffer->slot = slot;
  return true;
}

}  // namespace jprof
