// Makes walks through the loaded objects and forks take turns: neither starts during the other.
//
// A walk holds a lock of the dynamic linker that fork copies in its current state (glibc 2.36,
// posix/fork.c, reinitialises dl_load_lock and not dl_load_write_lock): in a child forked during a
// walk of another thread, every dlopen and every walk would wait forever. So forks wait for our
// walks, and walks for forks, but neither longer than kForkTimeoutNs, since the forking thread
// might hold that very lock.
#pragma once

#include "sigsafe/base/types.h"

namespace jprof {

inline constexpr Nanos kForkTimeoutNs = 100'000'000;

// ObjectWalkTurn: waits for running forks, and makes forks wait while it lives. Any thread may have
// one, but not two.
class ObjectWalkTurn {
 public:
  ObjectWalkTurn();
  ~ObjectWalkTurn();
  ObjectWalkTurn(const ObjectWalkTurn&) = delete;
  ObjectWalkTurn& operator=(const ObjectWalkTurn&) = delete;
};

// HoldObjectWalks runs before a fork and ReleaseObjectWalks after it, on the forking thread
// (os/fork_watch.cc). Both preserve errno.
void HoldObjectWalks();
void ReleaseObjectWalks();

}  // namespace jprof
