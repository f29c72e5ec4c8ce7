// WatchForks: from now on InForkedChild (sigsafe/os/forked_child.h) is true in children of fork,
// and a fork waits for our walks through the loaded objects (loader_lock/fork_turns.h).
//
// The flag is on a page that the kernel clears in a child (MADV_WIPEONFORK, Linux 4.14): correct
// from the child's first instruction on, before handlers of other libraries run, and also for forks
// without the C library. On older kernels a pthread_atfork handler sets the flag.
//
// Once per process; later calls do nothing. Never undone, since the library stays loaded.
// Thread-safe.
#pragma once

#include "base/result.h"

namespace jprof {

Status WatchForks();

}  // namespace jprof
