// Which virtual thread a kernel thread runs at this moment, and its name.
//
// The VM keeps the id of the java.lang.Thread that a JavaThread runs in the JavaThread itself, for
// its monitors (JEP 491, JDK 24 on), so no reference has to be followed for it, whatever the
// collector. Before that the id is in the heap, as names are: it is read where references may be
// followed at that moment, so not in native code.
//
// Async-signal-safe, on the thread that `jni_env` is of, while a WalkScope lives. Loads are
// guarded; where faults are not caught, the heap is left alone, and loads are of the running
// thread's own JavaThread, which lives as long as it is attached.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/hotspot/heap_reference.h"

namespace jprof {

// A name as the heap has it: Latin-1, or UTF-16 in the byte order of the processor.
struct ThreadNameBytes {
  static constexpr size_t kCapacity = 118;

  uint8_t size;  // bytes; longer names are cut
  bool utf16;
  char bytes[kCapacity];
};

// threadId() of the virtual thread that runs; 0: none, or this JVM does not say. `own_id`: of the
// platform thread; 0: not known.
int64_t MountedThreadId(const HotspotLayout& vm, LoadFaults faults, const void* jni_env,
                        int64_t own_id);

// The name of that thread. False: it has none, or it cannot be read now.
[[nodiscard]] bool CopyMountedThreadName(const HotspotLayout& vm, LoadFaults faults,
                                         const void* jni_env, int64_t id, ThreadNameBytes* name);

}  // namespace jprof
