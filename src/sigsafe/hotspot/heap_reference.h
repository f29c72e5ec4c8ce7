// References in the Java heap and at its roots, in the format of the running collector.
//
// Async-signal-safe. A reference may be followed only on a thread that runs Java code or code of
// the VM (MayFollowReferences): then no safepoint can begin, so a stop-the-world collector does not
// move objects meanwhile, and a concurrent collector does not change its phase. The loads are
// guarded nevertheless.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// True if the running thread may follow references now.
bool MayFollowReferences(const FollowableStates& states, uint64_t java_thread);

// Loads the object that the reference at `address` points to, 0 for null. False: the reference must
// not be followed.
[[nodiscard]] bool LoadReference(const ReferenceLayout& layout, uint64_t address, uint64_t* object);

// Loads likewise, by a reference outside the heap, which is never narrow. `handle` is the address
// of an OopHandle.
[[nodiscard]] bool LoadRoot(const ReferenceLayout& layout, uint64_t handle, uint64_t* object);

// Loads the java.lang.Thread that the JavaThread runs. False: it runs none, or its reference must
// not be followed now.
[[nodiscard]] bool LoadMountedThread(const MountedThreadLayout& layout, uint64_t java_thread,
                                     uint64_t* thread);

}  // namespace jprof
