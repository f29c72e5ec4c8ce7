// StopTimer: calls a function on a thread of its own, at a deadline or when an early end is due,
// unless cancelled before; then once a second until the function succeeds.
//
// Made and destroyed by RecordingControl. Thread-safe.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "os/stoppable_thread.h"
#include "sigsafe/base/types.h"

namespace jprof {

class StopTimer {
 public:
  // `deadline_ns` on CLOCK_MONOTONIC. `body` returns whether it has succeeded. `ends_early` is
  // called once a second.
  static Result<std::unique_ptr<StopTimer>> Start(Nanos deadline_ns, std::function<bool()> body,
                                                  std::function<bool()> ends_early = nullptr);

  // The destructor waits for a running body. REQUIRES: not on the timer's own thread.

  // Prevents further calls of the body; a call may be in progress.
  void Cancel() { thread_.RequestStop(); }

  Tid tid() const { return thread_.tid(); }
  Nanos deadline_ns() const { return deadline_ns_; }

 private:
  static constexpr Nanos kLookInterval = kNanosPerSecond;

  explicit StopTimer(Nanos deadline_ns) : deadline_ns_(deadline_ns) {}

  bool AwaitTime(const StopEvent& cancelled, const std::function<bool()>& ends_early) const;

  const Nanos deadline_ns_;
  StoppableThread thread_;
};

}  // namespace jprof
