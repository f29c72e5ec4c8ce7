// References in the Java heap and at its roots, as the running collector writes them.
//
// Async-signal-safe. A reference may be followed only on a thread that runs Java code or the VM's
// own (MayFollowReferences): then no safepoint can begin, so no collector that stops the world
// moves objects meanwhile, and the phase of one that does not stays what it is. Loads are guarded
// all the same.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// Whether the running thread is in a state in which references may be followed.
bool MayFollowReferences(const FollowableStates& states, uint64_t java_thread);

// The object that the reference at `address` leads to, 0 for null. False: it may not be followed.
[[nodiscard]] bool LoadReference(const ReferenceLayout& layout, uint64_t address, uint64_t* object);

// The same for one outside the heap, which is never narrow. `handle`: the address of an OopHandle.
[[nodiscard]] bool LoadRoot(const ReferenceLayout& layout, uint64_t handle, uint64_t* object);

// The java.lang.Thread that the JavaThread runs. False: there is none, or it may not be followed
// now.
[[nodiscard]] bool LoadMountedThread(const MountedThreadLayout& layout, uint64_t java_thread,
                                     uint64_t* thread);

}  // namespace jprof
