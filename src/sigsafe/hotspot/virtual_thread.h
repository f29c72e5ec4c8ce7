// MountedThreadId: the virtual thread that a kernel thread runs now, and its name.
//
// From JDK 24 on, a JavaThread holds the id of the java.lang.Thread that it runs, for its monitors
// (JEP 491): no reference has to be followed, with any collector. Before JDK 24 the id is in the
// heap, as names are, and is read only where references may be followed, so not in native code.
//
// Async-signal-safe, on the thread of `jni_env`, while a WalkScope lives. The loads are guarded.
// Where faults are not caught, the heap is not read, only the running thread's own JavaThread,
// which lives as long as the thread is attached.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/hotspot/heap_reference.h"

namespace jprof {

// A name in the encoding of the heap: Latin-1, or UTF-16 in the byte order of the processor.
struct ThreadNameBytes {
  static constexpr size_t kCapacity = 118;

  uint8_t size;  // size in bytes; longer names are cut
  bool utf16;
  char bytes[kCapacity];
};

// Returns threadId() of the mounted virtual thread; 0: there is none, or this JVM does not show it.
// `own_id` is that of the platform thread; 0: unknown.
int64_t MountedThreadId(const HotspotLayout& vm, LoadFaults faults, const void* jni_env,
                        int64_t own_id);

// True if MountedThreadId would return a virtual thread here, if one were mounted.
bool CanReadMountedThread(const HotspotLayout& vm, LoadFaults faults, const void* jni_env);

// Copies the name of the mounted virtual thread. False: it has no name, or the name cannot be read
// now.
[[nodiscard]] bool CopyMountedThreadName(const HotspotLayout& vm, LoadFaults faults,
                                         const void* jni_env, int64_t id, ThreadNameBytes* name);

}  // namespace jprof
