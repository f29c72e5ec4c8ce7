// Makes walks through the loaded objects (object_walk.h) and forks take turns: a walk that would
// start during a fork waits for the fork to end, and a fork waits for the running walks.
//
// A walk holds a lock of the dynamic linker that fork copies in its current state (glibc 2.36,
// posix/fork.c, reinitialises dl_load_lock and not dl_load_write_lock): in a child forked during a
// walk of another thread, every dlopen and every walk would wait forever. Neither side waits longer
// than kForkTimeoutNs, since the forking thread might hold that very lock; after this time both go
// on.
#pragma once

#include "sigsafe/base/types.h"

namespace jprof {

inline constexpr Nanos kForkTimeoutNs = 100'000'000;

// ObjectWalkTurn: the constructor waits for running forks, and forks wait while the object exists.
// Usable on any thread, but a thread may have only one at a time.
class ObjectWalkTurn {
 public:
  ObjectWalkTurn();
  ~ObjectWalkTurn();
  ObjectWalkTurn(const ObjectWalkTurn&) = delete;
  ObjectWalkTurn& operator=(const ObjectWalkTurn&) = delete;
};

// HoldObjectWalks makes new walks wait and waits for the running ones; ReleaseObjectWalks lets
// walks start again. They are called before and after a fork, on the forking thread of the parent
// process (os/fork_watch.cc). Both preserve errno.
void HoldObjectWalks();
void ReleaseObjectWalks();

}  // namespace jprof
