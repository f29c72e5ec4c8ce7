#include "sigsafe/hotspot/heap_reference.h"

namespace jprof {
namespace {

// The number of colour bits. They are the lowest bits of a reference. A reference whose other bits
// are all 0 is null, even if its colours are bad (jdk-25+36 src/hotspot/share/gc/z/zAddress.hpp,
// the layout of zpointer).
constexpr int kColours = 16;

bool Decode(const ReferenceLayout& layout, uint64_t reference, uint64_t* object) {
  if (layout.bad_colours == nullptr) {
    *object = reference;
  } else if (reference >> kColours == 0) {
    *object = 0;
  } else {
    if ((reference & *layout.bad_colours) != 0) return false;
    *object = reference >> *layout.colour_bits;
  }
  return true;
}

}  // namespace

bool MayFollowReferences(const FollowableStates& states, uint64_t java_thread) {
  int64_t state = 0;
  return states.thread_state.exists() && states.thread_state.Load(java_thread, &state) &&
         (state == states.in_java || state == states.in_vm);
}

bool LoadReference(const ReferenceLayout& layout, uint64_t address, uint64_t* object) {
  if (!layout.narrow) {
    uint64_t reference = 0;
    return GuardedLoad(address, &reference) && Decode(layout, reference, object);
  }
  uint32_t reference = 0;
  if (!GuardedLoad(address, &reference)) return false;
  *object = reference == 0 ? 0 : layout.narrow_base + (uint64_t{reference} << layout.narrow_shift);
  return true;
}

bool LoadRoot(const ReferenceLayout& layout, uint64_t handle, uint64_t* object) {
  uint64_t place = 0;
  uint64_t reference = 0;
  return GuardedLoad(handle, &place) && place != 0 && GuardedLoad(place, &reference) &&
         Decode(layout, reference, object);
}

bool LoadMountedThread(const MountedThreadLayout& layout, uint64_t java_thread, uint64_t* thread) {
  return MayFollowReferences(layout.followable, java_thread) &&
         LoadRoot(layout.references, java_thread + layout.thread_current, thread) && *thread != 0;
}

}  // namespace jprof
