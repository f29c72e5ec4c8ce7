// The stack of the calling thread, as the C library knows it. Thread-safe; not for handlers, for it
// allocates, and for the process's first thread reads /proc/self/maps, once.
#pragma once

#include "sigsafe/base/stack_bounds.h"

namespace jprof {

// Both 0 where the C library cannot tell.
StackBounds OwnStackBounds();

}  // namespace jprof
