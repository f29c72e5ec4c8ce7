// StopEvent: wakes a thread that sleeps between periodic work, to stop or to work. All waiters see
// the event until it is cleared.
//
// It is an eventfd and not a condition variable, because libstdc++'s timed waits on the monotonic
// clock need glibc 2.30. Thread-safe; not for signal handlers.
#pragma once

#include "base/result.h"
#include "base/scoped_fd.h"
#include "sigsafe/base/types.h"

namespace jprof {

class StopEvent {
 public:
  static Result<StopEvent> Create();

  void Set();

  // Resets the event, for repeated use.
  void Clear();

  // Sleeps until the event is set or `deadline_ns` on CLOCK_MONOTONIC has passed; true if it is
  // set.
  bool WaitUntil(Nanos deadline_ns) const;

 private:
  explicit StopEvent(ScopedFd fd) : fd_(std::move(fd)) {}

  ScopedFd fd_;
};

}  // namespace jprof
