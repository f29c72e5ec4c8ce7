#include "recording/stop_timer.h"

#include <algorithm>
#include <limits>
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

// Waits until the deadline, or until `ends_early` returns true. Returns false if the timer was
// cancelled.
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

Status StopTimers::Begin(std::optional<Nanos> deadline_ns, std::shared_ptr<const CallerLease> lease,
                         ThreadRegistry& registry, Stop stop) {
  if (!deadline_ns && lease == nullptr) return {};
  std::function<bool()> is_abandoned;
  if (lease != nullptr) is_abandoned = [lease = std::move(lease)] { return !lease->IsHeld(); };
  Result<std::unique_ptr<StopTimer>> timer = StopTimer::Start(
      deadline_ns.value_or(StopTimer::kNoDeadline), std::move(stop), std::move(is_abandoned));
  if (!timer) return timer.error();
  timer_ = std::move(timer).value();
  registry.Ignore(timer_->tid());
  return {};
}

bool StopTimers::StopSoon(ThreadRegistry& registry, Stop stop) {
  Result<std::unique_ptr<StopTimer>> timer = StopTimer::Start(MonotonicNanos(), std::move(stop));
  if (!timer) return false;
  registry.Ignore(timer.value()->tid());
  given_up_ = std::move(timer).value();
  return true;
}

void StopTimers::Cancel() {
  if (timer_ != nullptr) timer_->Cancel();
}

std::optional<Nanos> StopTimers::deadline_ns() const {
  if (timer_ == nullptr || timer_->deadline_ns() == StopTimer::kNoDeadline) return std::nullopt;
  return timer_->deadline_ns();
}

}  // namespace jprof
