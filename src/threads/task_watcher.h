// TaskWatcher: the thread that keeps the registry in line with the kernel's task list, for threads
// that no hook announces: native ones, and Java threads that detached and live on.
//
// It looks every 100 ms whether the number of threads has changed (one system call) and rescans
// then; it rescans every second in any case, for one thread may end while another starts. It never
// attaches to the JVM. Start and the destructor: by the session.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/native_thread.h"
#include "os/stop_event.h"
#include "threads/thread_registry.h"

namespace jprof {

class TaskWatcher {
 public:
  static Result<std::unique_ptr<TaskWatcher>> Start(ThreadRegistry& registry);

  // Returns when the thread has ended.
  ~TaskWatcher();

 private:
  TaskWatcher(ThreadRegistry& registry, StopEvent stop)
      : registry_(registry), stop_(std::move(stop)) {}

  void Run();

  ThreadRegistry& registry_;
  StopEvent stop_;
  NativeThread thread_;  // last: joined before the members it uses go
};

}  // namespace jprof
