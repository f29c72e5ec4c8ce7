#include "session/stop_timer.h"

#include <algorithm>
#include <utility>

#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {

Result<std::unique_ptr<StopTimer>> StopTimer::Start(Nanos deadline_ns, std::function<void()> body,
                                                    std::function<bool()> ends_early) {
  Result<StopEvent> cancelled = StopEvent::Create();
  if (!cancelled) return cancelled.error();
  std::unique_ptr<StopTimer> timer(new StopTimer(deadline_ns, std::move(cancelled).value()));
  StopTimer* raw = timer.get();
  Result<NativeThread> thread = NativeThread::Start(
      "jprof-timeout", [raw, body = std::move(body), ends_early = std::move(ends_early)] {
        if (raw->AwaitTime(ends_early)) body();
      });
  if (!thread) return thread.error();
  timer->thread_ = std::move(thread).value();
  return timer;
}

// False: cancelled.
bool StopTimer::AwaitTime(const std::function<bool()>& ends_early) {
  for (;;) {
    const Nanos look_ns = ends_early == nullptr
                              ? deadline_ns_
                              : std::min(deadline_ns_, MonotonicNanos() + kLookInterval);
    if (cancelled_.WaitUntil(look_ns)) return false;
    if (look_ns == deadline_ns_ || ends_early()) return true;
  }
}

StopTimer::~StopTimer() {
  Cancel();
  thread_.Join();
}

bool StopTimer::IsOwnThread() const { return CurrentTid() == thread_.tid(); }

}  // namespace jprof
