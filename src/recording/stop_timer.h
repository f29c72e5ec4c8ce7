// StopTimer: calls a function, the body, on its own thread. The first call comes at a deadline, or
// earlier if a given condition becomes true (`ends_early`). The call is repeated once a second
// until the body succeeds or the timer is cancelled. StopTimers: the timers of a recording.
//
// StopTimer is thread-safe. Its destructor waits for a running body. REQUIRES: the destructor does
// not run on the timer's own thread.
#pragma once

#include <functional>
#include <limits>
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
  static constexpr Nanos kNoDeadline = std::numeric_limits<Nanos>::max();

  // Starts the thread. `deadline_ns` is on CLOCK_MONOTONIC. `body` returns true if it has
  // succeeded. `ends_early` is called once a second; if it returns true, `body` is called before
  // the deadline.
  static Result<std::unique_ptr<StopTimer>> Start(Nanos deadline_ns, std::function<bool()> body,
                                                  std::function<bool()> ends_early = nullptr);

  // Prevents further calls to the body. When Cancel returns, a call might still be in progress.
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

// The timers that end a recording without a command: at its timeout, after the death of the jprof
// that was to fetch the recording, and after a failure of the recorder.
//
// Not synchronized: RecordingControl calls Begin and Cancel in its current action, and StopSoon on
// the recorder's thread.
class StopTimers {
 public:
  // Stops the recording. Returns true if the recording has ended; otherwise the function is called
  // again.
  using Stop = std::function<bool()>;

  // Starts the timer of a recording with a deadline or a lease. `deadline_ns` is on
  // CLOCK_MONOTONIC; `lease` is nullptr if there is none. `stop` might be called before the start
  // of the recording has ended.
  Status Begin(std::optional<Nanos> deadline_ns, std::shared_ptr<const CallerLease> lease,
               ThreadRegistry& registry, Stop stop);

  // Calls `stop` on a new thread. Returns false if the thread cannot be started now.
  bool StopSoon(ThreadRegistry& registry, Stop stop);

  // Cancels the timer of Begin. A call of `stop` by this timer might still be in progress; the
  // destructor waits for the end of the call.
  void Cancel();

  // Returns the deadline; nullopt if there is none.
  std::optional<Nanos> deadline_ns() const;

 private:
  // Both timers belong to the running recording or, if none is running, to the previous one.
  std::unique_ptr<StopTimer> timer_;     // started by Begin
  std::unique_ptr<StopTimer> given_up_;  // started by StopSoon
};

}  // namespace jprof
