// WalkLoadedObjects: dl_iterate_phdr, but never in the middle of a fork.
//
// A walk holds a lock of the dynamic linker's that fork copies as it is (glibc 2.36, posix/fork.c,
// renews dl_load_lock and not dl_load_write_lock): in a child of a fork that met a walk of another
// thread's, every dlopen and every walk would wait for ever. So a fork waits for walks of ours to
// end, and walks for forks; neither longer than kForkTimeoutNs, for the thread that forks may hold
// that very lock.
#pragma once

#include <link.h>

#include "sigsafe/base/types.h"

namespace jprof {

inline constexpr Nanos kForkTimeoutNs = 100'000'000;

using ObjectVisitor = int (*)(dl_phdr_info* info, size_t size, void* data);

// As dl_iterate_phdr. Thread-safe; not for handlers. A visitor must not walk itself.
int WalkLoadedObjects(ObjectVisitor visit, void* data);

// Around a fork, on the thread that forks (fork_watch.cc). errno is kept.
void HoldObjectWalks();
void ReleaseObjectWalks();

}  // namespace jprof
