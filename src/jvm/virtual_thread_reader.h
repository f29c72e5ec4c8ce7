// ReadVirtualThreads: reads the layout by which a handler finds the virtual thread that is mounted
// on the thread it interrupted.
//
// Called once at start, on any thread outside handlers.
#pragma once

#include "base/result.h"
#include "jvm/object_fields.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

inline constexpr int kFirstReleaseWithVirtualThreads = 21;

// Fills the part of `layout` for virtual threads. An error names the missing part: then samples of
// virtual threads belong to their carriers. If only names cannot be read, the ThreadNameLayout is
// empty and there is no error. REQUIRES: a JVM that has virtual threads.
Status ReadVirtualThreads(const VmStructs& structs, const ObjectFields& fields,
                          HotspotLayout* layout);

}  // namespace jprof
