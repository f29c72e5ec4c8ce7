// How the running collector writes references, and when they may be followed.
//
// Once at start, outside handlers.
#pragma once

#include "base/result.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// An error says why it is not known.
Result<ReferenceLayout> ReadReferenceLayout(const VmStructs& structs);

FollowableStates ReadFollowableStates(const VmStructs& structs);

}  // namespace jprof
