// OwnWork: marks the calling thread, for a scope, as one that does the profiler's work: it executes
// a command, or it is one of the profiler's own threads.
//
// Such a thread raises events of the JVM (it starts, it loads and retransforms classes). The
// callbacks of other agents for these events run on it, and can give the profiler a command. That
// command must not wait for the command that is being executed, because the latter waits for this
// thread.
//
// Thread-safe. Scopes of one thread can be nested. REQUIRES: not in a child of fork, where the lock
// might stay locked.
#pragma once

#include "sigsafe/base/types.h"

namespace jprof {

class OwnWork {
 public:
  OwnWork();
  ~OwnWork();
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

  // True if the calling thread is in a scope.
  static bool IsOnThisThread();

 private:
  const Tid tid_;
  OwnWork* next_;  // next in the list of all scopes of the process
};

}  // namespace jprof
