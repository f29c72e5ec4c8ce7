// ReadHotspotLayout: from the tables that the JVM exports to everything that a walk of its frames
// needs, or what is missing for that.
//
// Once at start, on a thread attached to the JVM, after its code cache and interpreter exist
// (VMInit).
#pragma once

#include "base/result.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// `env_offset`: of the JNIEnv within the JavaThread. `java_release`: 8, 11, 17, ...
Result<HotspotLayout> ReadHotspotLayout(const VmStructs& structs, int64_t env_offset,
                                        int java_release);

}  // namespace jprof
