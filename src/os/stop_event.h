// StopEvent: tells a thread that sleeps between periodic work to end. Set once, seen by all
// waiters.
//
// Thread-safe. Not for handlers. An eventfd and not a condition variable: libstdc++'s timed waits
// on the monotonic clock need glibc 2.30.
#pragma once

#include "base/result.h"
#include "base/scoped_fd.h"
#include "sigsafe/base/types.h"

namespace jprof {

class StopEvent {
 public:
  static Result<StopEvent> Create();

  void Set();

  // Sleeps until the event is set (true) or `deadline_ns` on CLOCK_MONOTONIC has come (false).
  bool WaitUntil(Nanos deadline_ns) const;

 private:
  explicit StopEvent(ScopedFd fd) : fd_(std::move(fd)) {}

  ScopedFd fd_;
};

}  // namespace jprof
