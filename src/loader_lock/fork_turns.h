// Makes walks through the loaded objects (object_walk.h) and forks take turns: a walk that would
// start during a fork waits for the fork to end, and a fork waits for the running walks.
//
// A walk holds a lock of the dynamic linker (dl_load_write_lock), which fork copies in its current
// state: glibc 2.36, posix/fork.c, reinitialises only dl_load_lock. So in a child that is forked
// while another thread walks, every dlopen and every walk would wait forever. Neither a walk nor a
// fork waits longer than kForkTimeoutNs, because the forking thread might itself hold that lock.
// After this time the waiting thread goes on.
#pragma once

#include "sigsafe/base/types.h"

namespace jprof {

inline constexpr Nanos kForkTimeoutNs = 100'000'000;

// The scope of a walk: the constructor waits for running forks, and forks wait while the object
// exists. Several threads can have objects at the same time. REQUIRES: the calling thread has no
// other ObjectWalkTurn.
class ObjectWalkTurn {
 public:
  ObjectWalkTurn();
  ~ObjectWalkTurn();
  ObjectWalkTurn(const ObjectWalkTurn&) = delete;
  ObjectWalkTurn& operator=(const ObjectWalkTurn&) = delete;
};

// HoldObjectWalks makes new walks wait, and itself waits for the running walks; ReleaseObjectWalks
// lets walks start again. They are called before and after a fork, on the forking thread of the
// parent process (os/fork_watch.cc). Both preserve errno.
void HoldObjectWalks();
void ReleaseObjectWalks();

}  // namespace jprof
