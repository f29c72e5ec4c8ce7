// ReadStackChunkLayout: the layout of jdk.internal.vm.StackChunk, the object in the Java heap in
// which HotSpot keeps the frames of an unmounted virtual thread.
//
// Called at start, on any thread outside handlers. Reads the symbol table of libjvm.so, which takes
// some milliseconds.
#pragma once

#include "jvm/object_fields.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// `stack` of the layout is 0 if the layout cannot be read: a JVM without virtual threads, or a
// libjvm.so without .symtab, which alone has the offsets. `mounted`: from ReadMountedThreadLayout.
StackChunkLayout ReadStackChunkLayout(const VmStructs& structs, const MountedThreadLayout& mounted,
                                      const ObjectFields& fields);

}  // namespace jprof
