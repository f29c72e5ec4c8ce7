// StopTimers: the timers that end a session without a command: at its timeout or with the jprof
// that means to fetch the recording, and when the recorder has given up.
//
// Members are guarded as Session says: Begin and Cancel by the action that is under way; StopSoon
// is called on the recorder's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "session/caller_lease.h"
#include "session/stop_timer.h"
#include "threads/thread_registry.h"

namespace jprof {

class StopTimers {
 public:
  // Answers whether the session is over; false: to be called again.
  using Stop = std::function<bool()>;

  // `deadline_ns` on CLOCK_MONOTONIC, if there is one; `lease`: nullptr where nobody has one. The
  // stop may be called before the start is over.
  Status Begin(std::optional<Nanos> deadline_ns, std::shared_ptr<const CallerLease> lease,
               ThreadRegistry& registry, Stop stop);

  // False: not possible now.
  bool StopSoon(ThreadRegistry& registry, Stop stop);

  // The timeout does not come any more. Its stop may be under way: the destructor waits for that.
  void Cancel();

  // Not engaged: no timeout.
  std::optional<Nanos> deadline_ns() const;

 private:
  std::unique_ptr<StopTimer> timer_;     // of this session or, when idle, of the last
  std::unique_ptr<StopTimer> given_up_;  // likewise, of a recording that was given up
};

}  // namespace jprof
