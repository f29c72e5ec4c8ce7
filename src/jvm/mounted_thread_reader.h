// ReadMountedThreadLayout: how to get from a JavaThread to the java.lang.Thread that is mounted on
// it: the encoding of references by the JVM's garbage collector, and the condition under which a
// reference may be followed.
//
// Called once at start, on any thread outside handlers.
#pragma once

#include "base/result.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// An error says why references cannot be read. `thread_current` of the layout is 0 if the JVM does
// not export that field.
Result<MountedThreadLayout> ReadMountedThreadLayout(const VmStructs& structs);

}  // namespace jprof
