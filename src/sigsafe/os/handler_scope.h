// HandlerScope: the first object of every signal handler; restores errno for the interrupted code.
//
// Handlers in flight are known by the guard cells of the threads' slots, not by a counter here:
// every thread would write a shared counter at every sample.
//
// Async-signal-safe.
#pragma once

#include "sigsafe/base/errno_saver.h"

namespace jprof {

class HandlerScope {
 public:
  HandlerScope() = default;
  HandlerScope(const HandlerScope&) = delete;
  HandlerScope& operator=(const HandlerScope&) = delete;

 private:
  ErrnoSaver errno_;
};

}  // namespace jprof
