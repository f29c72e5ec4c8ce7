// HandlerScope: first object of every signal handler; leaves the interrupted code as it was found.
//
// errno is put back. Who is in flight is told by the guard cells of the thread's record, not by a
// counter here: a shared count would be written by every thread at every sample.
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
