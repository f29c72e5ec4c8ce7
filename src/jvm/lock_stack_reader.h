// ReadLockStackLayout: where this JVM keeps the objects that its threads have locked without
// monitors.
//
// Once, at start; any thread outside handlers.
#pragma once

#include "jvm/vm_structs.h"

namespace jprof {

// LockStackLayout(): it has no such stacks, or a collector that moves objects while threads run.
LockStackLayout ReadLockStackLayout(const VmStructs& structs);

}  // namespace jprof
