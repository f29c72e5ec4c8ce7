// StoppableThread: one of the profiler's own threads (native_thread.h) that runs until stopped,
// mostly for periodic work: the body sleeps on the event that is passed to it.
//
//   thread = StoppableThread::Start("jprof-wall", [this](const StopEvent& stop) {
//     while (!stop.WaitUntil(NextTick())) Tick();
//   });
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "os/native_thread.h"
#include "os/stop_event.h"

namespace jprof {

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

  // Requests the thread to stop and waits until it has exited. REQUIRES: not on the thread itself.
  void Stop();

  // Returns the kernel's id of the thread; 0 if there is none.
  Tid tid() const { return thread_.tid(); }

 private:
  StoppableThread(std::unique_ptr<StopEvent> stop, NativeThread thread)
      : stop_(std::move(stop)), thread_(std::move(thread)) {}

  std::unique_ptr<StopEvent> stop_;  // has a stable address, to which the thread refers
  NativeThread thread_;
};

}  // namespace jprof
