// OwnStackBounds: the stack bounds of the calling thread, from the C library.
//
// Thread-safe. Not for signal handlers, since the C library allocates and, for the main thread,
// reads /proc/self/maps once.
#pragma once

#include "sigsafe/base/types.h"

namespace jprof {

// Returns the bounds; both are 0 if unknown.
StackBounds OwnStackBounds();

}  // namespace jprof
