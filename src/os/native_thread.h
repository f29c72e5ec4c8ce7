// NativeThread is one of the profiler's own threads. It has a name, can be joined, is marked as
// OwnWork, and blocks every signal, so that neither the profiled program's handlers nor our own
// ever run on it.
//
// The thread is a pthread and not a std::thread, because std::thread would make our library need a
// recent glibc symbol.
#pragma once

#include <pthread.h>

#include <functional>
#include <string>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

class NativeThread {
 public:
  // Starts a thread that runs `body`. `name` has at most 15 bytes; the kernel shows it.
  static Result<NativeThread> Start(const std::string& name, std::function<void()> body);

  NativeThread() = default;
  NativeThread(NativeThread&& other) noexcept;
  NativeThread& operator=(NativeThread&& other) noexcept;
  ~NativeThread() { Join(); }

  // Waits until the body has returned. REQUIRES: the caller has already made the body return, for
  // example by a StopEvent.
  void Join();

  // Lets the thread exit by itself when its body returns.
  void Detach();

  // Returns the kernel's id of the thread; 0 once the thread is joined or detached.
  Tid tid() const { return tid_; }

 private:
  NativeThread(pthread_t thread, Tid tid) : thread_(thread), tid_(tid) {}

  pthread_t thread_ = {};
  Tid tid_{0};
};

}  // namespace jprof
