// TaskEvents: an inotify subscription to the task directory, and the answer to whether it is good
// for anything.
//
// The kernel accepts the subscription, but procfs does not notify: on Linux 6.18 not one of 20
// thread starts and ends was delivered. Should a kernel deliver, the watcher need not wait for its
// next look. One thread; not for handlers.
#pragma once

#include "base/scoped_fd.h"

namespace jprof {

class TaskEvents {
 public:
  TaskEvents();

  // Starts a thread and looks whether that was reported.
  bool SelfTest() const;

  // Whether anything has been reported since the last call.
  bool Take() const;

 private:
  ScopedFd fd_;  // invalid where inotify is not to be had: nothing is ever reported
};

}  // namespace jprof
