// StoppableThread: one of the profiler's own threads (native_thread.h) that works until it is told
// to stop, mostly now and then: its body sleeps by the event that it is given.
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

  // As NativeThread::Start. What `body` uses outlives the thread.
  static Result<StoppableThread> Start(const std::string& name, Body body);

  StoppableThread() = default;  // no thread
  StoppableThread(StoppableThread&&) = default;
  StoppableThread& operator=(StoppableThread&& other) noexcept;
  ~StoppableThread() { Stop(); }

  // Tells the thread to stop. Thread-safe; fine if there is none.
  void RequestStop();

  // The same, and waits until it has ended. REQUIRES: not on the thread itself.
  void Stop();

  // The kernel's id of the thread; 0: there is none.
  Tid tid() const { return thread_.tid(); }

 private:
  StoppableThread(std::unique_ptr<StopEvent> stop, NativeThread thread)
      : stop_(std::move(stop)), thread_(std::move(thread)) {}

  std::unique_ptr<StopEvent> stop_;  // where it is: the thread has its address
  NativeThread thread_;
};

}  // namespace jprof
