// HandlerScope: the first object of every signal handler; restores errno for the interrupted code.
//
// Does not count the running handlers: every thread would write the counter at every sample. The
// guard cells in the threads' slots (sigsafe/memory/guard_cells.h) show which threads are in a
// handler.
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
