// WalkLoadedObjects: dl_iterate_phdr, but never during a fork.
//
// A walk holds a lock of the dynamic linker that fork copies in its current state (glibc 2.36,
// posix/fork.c, reinitialises dl_load_lock and not dl_load_write_lock): in a child forked during a
// walk of another thread, every dlopen and every walk would wait forever. So forks wait for our
// walks, and walks for forks; neither longer than kForkTimeoutNs, since the forking thread may
// hold that very lock.
#pragma once

#include <link.h>

#include "sigsafe/base/types.h"

namespace jprof {

inline constexpr Nanos kForkTimeoutNs = 100'000'000;

using ObjectVisitor = int (*)(dl_phdr_info* info, size_t size, void* data);

// As dl_iterate_phdr. Thread-safe; not for handlers. A visitor must not start another walk.
int WalkLoadedObjects(ObjectVisitor visit, void* data);

// Before and after a fork, on the forking thread (fork_watch.cc). errno is preserved.
void HoldObjectWalks();
void ReleaseObjectWalks();

}  // namespace jprof
