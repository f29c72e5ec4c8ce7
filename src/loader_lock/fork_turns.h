// Walks through the loaded objects and forks take turns: neither starts during the other.
//
// A walk holds a lock of the dynamic linker that fork copies in its current state (glibc 2.36,
// posix/fork.c, reinitialises dl_load_lock and not dl_load_write_lock): in a child forked during a
// walk of another thread, every dlopen and every walk would wait forever. So forks wait for our
// walks, and walks for forks; neither longer than kForkTimeoutNs, since the forking thread may
// hold that very lock.
#pragma once

#include "sigsafe/base/types.h"

namespace jprof {

inline constexpr Nanos kForkTimeoutNs = 100'000'000;

// Waits for forks, and keeps them waiting during its life. Any thread; one a thread.
class ObjectWalkTurn {
 public:
  ObjectWalkTurn();
  ~ObjectWalkTurn();
  ObjectWalkTurn(const ObjectWalkTurn&) = delete;
  ObjectWalkTurn& operator=(const ObjectWalkTurn&) = delete;
};

// Before and after a fork, on the forking thread (os/fork_watch.cc). errno is preserved.
void HoldObjectWalks();
void ReleaseObjectWalks();

}  // namespace jprof
