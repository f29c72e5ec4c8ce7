// TaskWatcher runs a thread that compares the registry with the kernel's task list. It finds the
// threads that no hook announces: some native threads (pthread_hook.h), and Java threads that have
// detached from the JVM and live on. TaskEvents receives the kernel's reports of new threads.
//
// The watcher scans the list every 100 ms, even if the number of threads has not changed, because
// one thread can end while another starts. If there are so many threads that these scans would use
// more than a fifth of a per cent of a core, the watcher scans less often. It still reads the
// number of threads every 100 ms, with one system call, and scans at once if the number has
// changed. Once a second, a scan also checks that tids have not been reused, and the watcher primes
// running threads (ThreadPrimer). If the kernel reports new threads (TaskEvents), each report
// causes a scan. The watcher's thread never attaches to the JVM.
//
// Start and the destructor are called by the sampler. The destructor returns when the thread has
// exited.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "os/stoppable_thread.h"
#include "threads/pthread_hook.h"
#include "threads/slot_reserve.h"
#include "threads/thread_registry.h"
#include "threads/thread_signal.h"

namespace jprof {

// TaskEvents is an inotify subscription to /proc/self/task, with a test whether this kernel
// delivers events for the subscription.
//
// Linux accepts the subscription, but procfs sends no events: Linux 6.18 delivered no event for any
// of 20 starts and ends of threads. If a kernel sends events, the watcher scans at once instead of
// at its next interval. Used by one thread; not for handlers.
class TaskEvents {
 public:
  TaskEvents();

  // Starts a thread. Returns true if the kernel has delivered an event for that start.
  bool SelfTest() const;

  // True if an event has been delivered since the last call.
  bool Take() const;

 private:
  ScopedFd fd_;  // invalid if inotify is unavailable; Take then returns false
};

class TaskWatcher {
 public:
  // Starts the watcher's thread. Besides scanning, the thread does three things every 100 ms: it
  // calls KeepAhead of `reserve`, makes `hook` cover new libraries, and calls `look` without
  // holding a lock. `look` is called less often if its calls would use more than a thousandth of a
  // core. `reserve` and `hook` may be null; otherwise they must outlive the watcher.
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
  const std::unique_ptr<ThreadPrimer> primer_;  // nullptr if no real-time signal is free
  StoppableThread thread_;  // declared last, so that it is joined before the members that it uses
};

}  // namespace jprof
