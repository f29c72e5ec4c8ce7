#include "recording/stop_timer.h"

#include <algorithm>
#include <utility>

#include "sigsafe/os/clock.h"

namespace jprof {

Result<std::unique_ptr<StopTimer>> StopTimer::Start(Nanos deadline_ns, std::function<bool()> body,
                                                    std::function<bool()> ends_early) {
  std::unique_ptr<StopTimer> timer(new StopTimer(deadline_ns));
  Result<StoppableThread> thread = StoppableThread::Start(
      "jprof-timeout", [raw = timer.get(), body = std::move(body),
                        ends_early = std::move(ends_early)](const StopEvent& cancelled) {
        if (!raw->AwaitTime(cancelled, ends_early)) return;
        while (!body()) {
          if (cancelled.WaitUntil(MonotonicNanos() + kLookInterval)) return;
        }
      });
  if (!thread) return thread.error();
  timer->thread_ = std::move(thread).value();
  return timer;
}

// False: cancelled.
bool StopTimer::AwaitTime(const StopEvent& cancelled,
                          const std::function<bool()>& ends_early) const {
  for (;;) {
    const Nanos look_ns = ends_early == nullptr
                              ? deadline_ns_
                              : std::min(deadline_ns_, MonotonicNanos() + kLookInterval);
    if (cancelled.WaitUntil(look_ns)) return false;
    if (look_ns == deadline_ns_ || ends_early()) return true;
  }
}

}  // namespace jprof
