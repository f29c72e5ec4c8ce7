// OwnWork marks the calling thread, for a scope, as a thread that does the profiler's work. Such a
// thread executes a command, or is one of the profiler's own threads.
//
// A marked thread causes events of the JVM: it starts, and it loads and retransforms classes. The
// callbacks of other agents for these events run on the marked thread, and can give the profiler a
// second command. The second command must not wait for the first, because the first waits for this
// thread.
//
// Thread-safe. Scopes of one thread can be nested. REQUIRES: not in a child of fork, where a lock
// of this module might stay locked.
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
