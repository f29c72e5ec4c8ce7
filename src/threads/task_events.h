// TaskEvents: an inotify subscription to /proc/self/task, and a test whether this kernel delivers
// its events.
//
// Linux accepts the subscription, but procfs sends no events: Linux 6.18 delivered none of 20
// starts and ends of threads. If a kernel sends them, the watcher scans at once instead of at its
// next interval. Used by one thread; not for handlers.
#pragma once

#include "base/scoped_fd.h"

namespace jprof {

class TaskEvents {
 public:
  TaskEvents();

  // Starts a thread, and returns whether the kernel delivered an event for it.
  bool SelfTest() const;

  // Returns whether an event has been delivered since the last call.
  bool Take() const;

 private:
  ScopedFd fd_;  // invalid if inotify is not available: Take returns false
};

}  // namespace jprof
