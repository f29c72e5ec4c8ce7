// WatchForks makes InForkedChild (sigsafe/os/forked_child.h) return true in children of later
// forks. It also makes a fork wait for our walks through the loaded objects
// (loader_lock/fork_turns.h).
//
// InForkedChild reads a mark on a page that the kernel clears in a child (MADV_WIPEONFORK, Linux
// 4.14). So the mark is correct from the child's first instruction on, before atfork handlers of
// other libraries run, and also if the program forks without the C library. On older kernels a
// pthread_atfork handler clears the mark.
//
// Takes effect once per process; later calls do nothing. The effect lasts as long as the process,
// because our library stays loaded. Thread-safe.
#pragma once

#include "base/result.h"

namespace jprof {

Status WatchForks();

}  // namespace jprof
