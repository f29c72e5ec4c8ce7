// TaskWatcher: the thread that compares the registry with the kernel's task list, to find threads
// that no hook announces: native threads, and Java threads that have detached from the JVM and live
// on.
//
// The thread scans the list every 100 ms, even if the number of threads has not changed: one thread
// can end while another starts. If there are so many threads that the scans would use more than a
// fifth of a per cent of a core, the thread scans less often, and additionally when the number of
// threads has changed (one system call). Every second a scan also checks that tids have not been
// reused, and running threads are primed (thread_primer.h). If the kernel reports new threads
// (task_events.h), a report causes a scan, too. The thread never attaches to the JVM.
//
// Start and the destructor are called by the sampler. The destructor returns when the thread has
// exited.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "os/stoppable_thread.h"
#include "threads/pthread_hook.h"
#include "threads/slot_reserve.h"
#include "threads/task_events.h"
#include "threads/thread_primer.h"
#include "threads/thread_registry.h"

namespace jprof {

class TaskWatcher {
 public:
  // Starts the thread, which calls KeepAhead of `reserve`, makes `hook` cover new libraries, and
  // calls `look`, without a lock, every 100 ms or less often, so that its calls use at most a
  // thousandth of a core. `reserve` and `hook` may be null, else they must outlive the watcher.
  static Result<std::unique_ptr<TaskWatcher>> Start(ThreadRegistry& registry,
                                                    SlotReserve* reserve = nullptr,
                                                    PthreadHook* hook = nullptr,
                                                    std::function<void()> look = {});

 private:
  TaskWatcher(ThreadRegistry& registry, SlotReserve* reserve, PthreadHook* hook,
              std::function<void()> look, std::unique_ptr<ThreadPrimer> primer)
      : registry_(registry),
        reserve_(reserve),
        hook_(hook),
        look_(std::move(look)),
        primer_(std::move(primer)) {}

  void Run(const StopEvent& stop);
  void Scan(Identity identity);
  static std::optional<TaskEvents> Subscribe();

  ThreadRegistry& registry_;
  SlotReserve* const reserve_;
  PthreadHook* const hook_;
  const std::function<void()> look_;
  const std::unique_ptr<ThreadPrimer> primer_;  // nullptr: no real-time signal is free
  StoppableThread thread_;                      // last: joined before the members that it uses
};

}  // namespace jprof
