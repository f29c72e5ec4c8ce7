// StoppableThread is one of the profiler's own threads (native_thread.h), and runs until it is
// stopped. Mostly it does periodic work. Its body sleeps on the StopEvent that is passed to the
// body.
//
//   thread = StoppableThread::Start("jprof-wall", [this](const StopEvent& stop) {
//     while (!stop.WaitUntil(NextTick())) Tick();
//   });
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "os/native_thread.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Wakes a thread from its sleep between periods of work. The thread then stops, or works at once.
// All waiting threads see the event until it is cleared.
//
// The event is an eventfd and not a condition variable, because libstdc++'s timed waits on the
// monotonic clock need glibc 2.30. Thread-safe; not for signal handlers.
class StopEvent {
 public:
  static Result<StopEvent> Create();

  void Set();

  // Resets the event, so that it can be set again.
  void Clear();

  // Sleeps until the event is set or `deadline_ns` on CLOCK_MONOTONIC has passed. Returns true if
  // the event is set.
  bool WaitUntil(Nanos deadline_ns) const;

 private:
  explicit StopEvent(ScopedFd fd) : fd_(std::move(fd)) {}

  ScopedFd fd_;
};

class StoppableThread {
 public:
  using Body = std::function<void(const StopEvent& stop)>;

  // Starts a thread as NativeThread::Start does. REQUIRES: everything that `body` uses outlives the
  // thread.
  static Result<StoppableThread> Start(const std::string& name, Body body);

  StoppableThread() = default;  // has no thread
  StoppableThread(StoppableThread&&) = default;
  StoppableThread& operator=(StoppableThread&& other) noexcept;
  ~StoppableThread() { Stop(); }

  // Requests the thread to stop; does nothing without a thread. Thread-safe.
  void RequestStop();

  // Requests the thread to stop and waits until it has exited. REQUIRES: the caller runs on another
  // thread.
  void Stop();

  // Returns the kernel's id of the thread; 0 if there is none.
  Tid tid() const { return thread_.tid(); }

 private:
  StoppableThread(std::unique_ptr<StopEvent> stop, NativeThread thread)
      : stop_(std::move(stop)), thread_(std::move(thread)) {}

  std::unique_ptr<StopEvent> stop_;  // on the heap: the thread refers to its address
  NativeThread thread_;
};

}  // namespace jprof
