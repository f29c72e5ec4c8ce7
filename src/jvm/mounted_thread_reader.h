// The way from a JavaThread to the thread that it runs: how the running collector writes
// references, and when they may be followed.
//
// Once at start, outside handlers.
#pragma once

#include "base/result.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// An error says why references cannot be read. thread_current is 0 where the JVM does not say it.
Result<MountedThreadLayout> ReadMountedThreadLayout(const VmStructs& structs);

}  // namespace jprof
