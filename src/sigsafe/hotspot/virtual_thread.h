// The virtual thread that is mounted on the calling thread, and its name.
//
// From JDK 24 on, a JavaThread contains the id of the java.lang.Thread that it runs, because
// monitors need this id (JEP 491). So no reference has to be followed, with any collector. Before
// JDK 24 the id is in the heap. Names are always in the heap. The heap is read only while
// references may be followed (heap_reference.h), so not while the thread runs native code.
//
// Async-signal-safe, on the thread of `jni_env`, while a WalkScope lives. The loads are guarded. If
// faults are not caught, the heap is not read. Then only the calling thread's own JavaThread is
// read, which exists as long as the thread is attached.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/hotspot/heap_reference.h"

namespace jprof {

// A name in the encoding of the heap: Latin-1, or UTF-16 in the byte order of the processor.
struct ThreadNameBytes {
  static constexpr size_t kCapacity = 118;

  uint8_t size;  // size in bytes; longer names are cut to kCapacity
  bool utf16;
  char bytes[kCapacity];
};

// Returns threadId() of the mounted virtual thread; 0 if no virtual thread is mounted, or if its id
// cannot be read now. `own_id` is threadId() of the platform thread; 0 if it is unknown.
int64_t MountedThreadId(const HotspotLayout& vm, LoadFaults faults, const void* jni_env,
                        int64_t own_id);

// Returns false if a virtual thread might be mounted and MountedThreadId cannot read its id now.
// None is mounted while no continuation runs, so that the heap need not be read then.
bool CanReadMountedThread(const HotspotLayout& vm, LoadFaults faults, const void* jni_env);

// Copies the name of the virtual thread `id`, if it is mounted. Returns false if another thread or
// none is mounted, if the virtual thread has no name, or if the name cannot be read now.
[[nodiscard]] bool CopyMountedThreadName(const HotspotLayout& vm, LoadFaults faults,
                                         const void* jni_env, int64_t id, ThreadNameBytes* name);

}  // namespace jprof
