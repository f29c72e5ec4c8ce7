// ReadStackChunkLayout: where the frames of virtual threads are that HotSpot keeps in the heap.
//
// Outside handlers; reads libjvm's symbol table, some milliseconds.
#pragma once

#include "jvm/object_fields.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// `stack` is 0 in the answer where this cannot be told: a JVM before virtual threads, a libjvm.so
// without .symtab (the offsets are not exported). `mounted`: as read from this JVM.
StackChunkLayout ReadStackChunkLayout(const VmStructs& structs, const MountedThreadLayout& mounted,
                                      const ObjectFields& fields);

}  // namespace jprof
