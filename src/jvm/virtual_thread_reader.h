// ReadVirtualThreads: where the running JVM says which virtual thread a kernel thread runs.
//
// Once at start, outside handlers.
#pragma once

#include "base/result.h"
#include "jvm/object_fields.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

inline constexpr int kFirstReleaseWithVirtualThreads = 21;

// Fills the part of `layout` for virtual threads. An error names the missing field: then samples
// belong to the carriers. Where names alone cannot be read, the layout says so (ThreadNameLayout).
// REQUIRES: a JVM that has virtual threads.
Status ReadVirtualThreads(const VmStructs& structs, const ObjectFields& fields,
                          HotspotLayout* layout);

}  // namespace jprof
