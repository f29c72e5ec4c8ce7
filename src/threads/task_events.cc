#include "threads/task_events.h"

#include <sys/inotify.h>
#include <unistd.h>

#include "os/native_thread.h"

namespace jprof {

TaskEvents::TaskEvents() : fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (fd_.valid()) inotify_add_watch(fd_.get(), "/proc/self/task", IN_CREATE | IN_DELETE);
}

bool TaskEvents::SelfTest() const {
  Take();
  {
    const Result<NativeThread> thread = NativeThread::Start("jprof-test", [] {});
  }
  return Take();
}

bool TaskEvents::Take() const {
  if (!fd_.valid()) return false;
  alignas(inotify_event) char events[4096];
  bool any = false;
  while (read(fd_.get(), events, sizeof events) > 0) any = true;
  return any;
}

}  // namespace jprof
