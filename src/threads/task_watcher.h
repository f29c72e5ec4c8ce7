// TaskWatcher: the thread that keeps the registry in line with the kernel's task list, for threads
// that no hook announces: native ones, and Java threads that detached and live on.
//
// Every 100 ms it scans the list, for one thread may end while another starts. Where so many
// threads live that this would take more than a third of a per cent of a core, it scans less often,
// and in between when their number has changed (one system call). Every second it also checks
// that tids have not been reused, and has threads primed that have begun to run. The engines look
// at threads from here, too. Where the kernel reports new threads (task_events.h) it need not wait
// for a look to show a change. It never attaches to the JVM. Start and the destructor: by the
// session.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "os/stoppable_thread.h"
#include "threads/pthread_hook.h"
#include "threads/record_reserve.h"
#include "threads/task_events.h"
#include "threads/thread_primer.h"
#include "threads/thread_registry.h"

namespace jprof {

class TaskWatcher {
 public:
  // `reserve`: to be kept ahead of use; `hook`: to be told of new libraries. Each may be null, else
  // outlives the watcher. `look`: for others who look at threads; called after each scan's time,
  // with no lock held, as often as its own cost allows.
  static Result<std::unique_ptr<TaskWatcher>> Start(ThreadRegistry& registry,
                                                    RecordReserve* reserve = nullptr,
                                                    PthreadHook* hook = nullptr,
                                                    std::function<void()> look = {});

  // The destructor returns when the thread has ended.

 private:
  TaskWatcher(ThreadRegistry& registry, RecordReserve* reserve, PthreadHook* hook,
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
  RecordReserve* const reserve_;
  PthreadHook* const hook_;
  const std::function<void()> look_;
  const std::unique_ptr<ThreadPrimer> primer_;  // nullptr: no signal is free
  StoppableThread thread_;                      // last: joined before the members it uses go
};

}  // namespace jprof
