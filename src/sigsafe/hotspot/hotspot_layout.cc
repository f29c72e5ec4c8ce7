#include "sigsafe/hotspot/hotspot_layout.h"

#include "sigsafe/base/check.h"
#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

struct Guarded {
  template <typename T>
  static bool Load(uint64_t address, T* to) {
    return GuardedLoad(address, to);
  }
};

struct Safe {
  template <typename T>
  static bool Load(uint64_t address, T* to) {
    return SafeLoad(reinterpret_cast<const void*>(address), to);
  }
};

template <typename Loads, typename T>
bool LoadAs(uint64_t address, int64_t* to) {
  T value{};
  if (!Loads::Load(address, &value)) return false;
  *to = static_cast<int64_t>(value);  // NOLINT(bugprone-signed-char-misuse): keeps the sign
  return true;
}

template <typename Loads>
bool LoadField(const VmField& field, uint64_t object, int64_t* to) {
  JPROF_CHECK(field.exists());
  const uint64_t address = object + field.offset;
  const bool is_signed = field.is_signed;
  switch (field.width) {
    case 1:
      return is_signed ? LoadAs<Loads, int8_t>(address, to) : LoadAs<Loads, uint8_t>(address, to);
    case 2:
      return is_signed ? LoadAs<Loads, int16_t>(address, to) : LoadAs<Loads, uint16_t>(address, to);
    case 4:
      return is_signed ? LoadAs<Loads, int32_t>(address, to) : LoadAs<Loads, uint32_t>(address, to);
    default:
      return LoadAs<Loads, int64_t>(address, to);
  }
}

}  // namespace

bool VmField::Load(uint64_t object, int64_t* to) const {
  return LoadField<Guarded>(*this, object, to);
}

bool VmField::LoadSafely(uint64_t object, int64_t* to) const {
  return LoadField<Safe>(*this, object, to);
}

bool VmPlace::Find(uint64_t object, uint64_t* to) const {
  int64_t base = static_cast<int64_t>(object);
  int64_t distance = 0;
  if (pointer.exists() && !pointer.Load(object, &base)) return false;
  if (offset.exists() && !offset.Load(object, &distance)) return false;
  *to = static_cast<uint64_t>(base + distance);
  return true;
}

}  // namespace jprof
