#include "sigsafe/hotspot/hotspot_layout.h"

#include <atomic>

namespace jprof {
namespace {

// seq_cst on both sides, with the claim of a walk buffer (SlotPool::Claim).
std::atomic<const HotspotLayout*> g_layout{nullptr};
static_assert(std::atomic<const HotspotLayout*>::is_always_lock_free);

template <typename T>
bool LoadAs(uint64_t address, int64_t* to) {
  T value{};
  if (!GuardedLoad(address, &value)) return false;
  *to = static_cast<int64_t>(value);
  return true;
}

}  // namespace

bool VmField::Load(uint64_t object, int64_t* to) const {
  const uint64_t address = object + offset;
  switch (width) {
    case 1:
      return is_signed ? LoadAs<int8_t>(address, to) : LoadAs<uint8_t>(address, to);
    case 2:
      return is_signed ? LoadAs<int16_t>(address, to) : LoadAs<uint16_t>(address, to);
    case 4:
      return is_signed ? LoadAs<int32_t>(address, to) : LoadAs<uint32_t>(address, to);
    default:
      return LoadAs<int64_t>(address, to);
  }
}

bool VmPlace::Find(uint64_t object, uint64_t* to) const {
  int64_t base = static_cast<int64_t>(object);
  int64_t distance = 0;
  if (pointer.exists() && !pointer.Load(object, &base)) return false;
  if (offset.exists() && !offset.Load(object, &distance)) return false;
  *to = static_cast<uint64_t>(base + distance);
  return true;
}

const HotspotLayout* TheHotspotLayout() { return g_layout.load(std::memory_order_seq_cst); }

void UseHotspotLayout(const HotspotLayout* layout) {
  g_layout.store(layout, std::memory_order_seq_cst);
}

}  // namespace jprof
