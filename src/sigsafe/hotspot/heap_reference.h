// References in the Java heap and at its roots, in the format of the running collector.
//
// Async-signal-safe. A reference may be followed only on a thread that runs Java code or code of
// the VM (MayFollowReferences). No safepoint can begin before such a thread stops for it. So during
// the load a stop-the-world collector does not move objects, and a concurrent collector does not
// change its phase. The loads are guarded nevertheless.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// True if the running thread may follow references now.
bool MayFollowReferences(const FollowableStates& states, uint64_t java_thread);

// Loads the address of the object that the reference at `address` refers to; 0 for null. Returns
// false if the reference must not be followed or is unreadable.
[[nodiscard]] bool LoadReference(const ReferenceLayout& layout, uint64_t address, uint64_t* object);

// Does the same as LoadReference for a reference outside the heap. Such a reference is never
// narrow. `handle` is the address of an OopHandle, which points to the reference.
[[nodiscard]] bool LoadRoot(const ReferenceLayout& layout, uint64_t handle, uint64_t* object);

// Loads the address of the java.lang.Thread that the JavaThread runs. Returns false if the
// JavaThread runs none, or if the reference must not be followed now.
[[nodiscard]] bool LoadMountedThread(const MountedThreadLayout& layout, uint64_t java_thread,
                                     uint64_t* thread);

}  // namespace jprof
