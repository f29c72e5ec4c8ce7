// NativeThread: one of the profiler's own threads. Named, joinable, marked as OwnWork, and with
// every signal blocked, so that neither the profiled program's signals nor our own ever run on it.
//
// pthread and not std::thread, which makes the library need a recent glibc symbol.
#pragma once

#include <pthread.h>

#include <functional>
#include <string>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

class NativeThread {
 public:
  // `name`: at most 15 bytes, as the kernel shows it. `body` runs on the new thread.
  static Result<NativeThread> Start(const std::string& name, std::function<void()> body);

  NativeThread() = default;
  NativeThread(NativeThread&& other) noexcept;
  NativeThread& operator=(NativeThread&& other) noexcept;
  ~NativeThread() { Join(); }

  // Waits until the body has returned. The caller must have requested the return.
  void Join();

  // Lets the thread exit by itself when its body returns.
  void Detach();

  // The kernel's id of the thread; 0 once joined or detached.
  Tid tid() const { return tid_; }

 private:
  NativeThread(pthread_t thread, Tid tid) : thread_(thread), tid_(tid) {}

  pthread_t thread_ = {};
  Tid tid_{0};
};

}  // namespace jprof
