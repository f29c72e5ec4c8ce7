// StopTimers: the timers that end a recording without a command: at its timeout, after the end of
// the jprof that would fetch the recording, and after a failure of the recorder.
//
// Guarded by RecordingControl: Begin and Cancel are called by the current action; StopSoon on the
// recorder's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "recording/caller_lease.h"
#include "recording/stop_timer.h"
#include "threads/thread_registry.h"

namespace jprof {

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
