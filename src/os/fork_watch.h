// WatchForks: from now on InForkedChild (sigsafe/os/forked_child.h) is true in children of fork,
// and a fork takes none of our walks through the loaded objects (os/loaded_objects.h) by surprise.
//
// The answer is a page that the kernel empties in a child (MADV_WIPEONFORK, Linux 4.14): it is
// right from the child's first instruction, before handlers of other libraries run there, and also
// where fork was called without the C library. Older kernels have it from a handler of fork.
//
// Once per process, later calls do nothing; never undone, for the library stays loaded.
// Thread-safe.
#pragma once

#include "base/result.h"

namespace jprof {

Status WatchForks();

}  // namespace jprof
