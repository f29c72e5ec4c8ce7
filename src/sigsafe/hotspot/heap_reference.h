// References in the Java heap and at its roots, in the format of the running collector.
//
// Async-signal-safe. A reference may be followed only on a thread that runs Java code or code of
// the VM (MayFollowReferences): then no safepoint can begin, so a stop-the-world collector does not
// move objects meanwhile, and a concurrent collector does not change its phase. Loads are guarded
// nevertheless.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// Whether the running thread may follow references now.
bool MayFollowReferences(const FollowableStates& states, uint64_t java_thread);

// The object behind the reference at `address`, 0 for null. False: the reference may not be
// followed.
[[nodiscard]] bool LoadReference(const ReferenceLayout& layout, uint64_t address, uint64_t* object);

// As above, for a reference outside the heap, which is never narrow. `handle`: the address of an
// OopHandle.
[[nodiscard]] bool LoadRoot(const ReferenceLayout& layout, uint64_t handle, uint64_t* object);

// The java.lang.Thread that the JavaThread runs. False: none, or its reference may not be followed
// now.
[[nodiscard]] bool LoadMountedThread(const MountedThreadLayout& layout, uint64_t java_thread,
                                     uint64_t* thread);

}  // namespace jprof
