// StopTimer: calls a function on a thread of its own, at a deadline or when an early end is due,
// unless cancelled before; then once a second until the function succeeds.
//
// Made and destroyed by RecordingControl. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "os/stoppable_thread.h"
#include "recording/caller_lease.h"
#include "sigsafe/base/types.h"
#include "threads/thread_registry.h"

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

// StopTimers: the timers that end a recording without a command: at its timeout, after the end of
// the jprof that would fetch the recording, and after a failure of the recorder.
//
// Guarded by RecordingControl: Begin and Cancel are called by the current action; StopSoon on the
// recorder's thread.
class StopTimers {
 public:
  // Returns whether the recording is over; if not, called again.
  using Stop = std::function<bool()>;

  // `deadline_ns` on CLOCK_MONOTONIC, if any; `lease`: nullptr if none. The stop may be called
  // before the start is over.
  Status Begin(std::optional<Nanos> deadline_ns, std::shared_ptr<const CallerLease> lease,
               ThreadRegistry& registry, Stop stop);

  // False: not possible now.
  bool StopSoon(ThreadRegistry& registry, Stop stop);

  // Cancels the timeout. Its stop may be in progress: the destructor waits for it.
  void Cancel();

  // nullopt: no timeout.
  std::optional<Nanos> deadline_ns() const;

 private:
  std::unique_ptr<StopTimer> timer_;     // of this recording or, when idle, of the last
  std::unique_ptr<StopTimer> given_up_;  // likewise, of a failed recording
};

}  // namespace jprof
