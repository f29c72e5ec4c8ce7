// ReadVirtualThreadLayout: where the running JVM says which virtual thread a kernel thread runs.
//
// Once at start, outside handlers.
#pragma once

#include "base/result.h"
#include "jvm/object_fields.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/virtual_thread.h"

namespace jprof {

inline constexpr int kFirstReleaseWithVirtualThreads = 21;

// An error says what is missing: then samples belong to the carriers. Where names alone cannot be
// read, the layout says so (ThreadNameLayout). REQUIRES: a JVM that has virtual threads.
Result<VirtualThreadLayout> ReadVirtualThreadLayout(const VmStructs& structs, int64_t env_offset,
                                                    const ObjectFields& fields);

}  // namespace jprof
