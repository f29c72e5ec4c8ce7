#include "recording/stop_timers.h"

#include <limits>
#include <utility>

#include "sigsafe/os/clock.h"

namespace jprof {

Status StopTimers::Begin(std::optional<Nanos> deadline_ns, std::shared_ptr<const CallerLease> lease,
                         ThreadRegistry& registry, Stop stop) {
  if (!deadline_ns && lease == nullptr) return {};
  std::function<bool()> is_abandoned;
  if (lease != nullptr) is_abandoned = [lease = std::move(lease)] { return !lease->IsHeld(); };
  Result<std::unique_ptr<StopTimer>> timer =
      StopTimer::Start(deadline_ns.value_or(std::numeric_limits<Nanos>::max()), std::move(stop),
                       std::move(is_abandoned));
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
  if (timer_ == nullptr) return std::nullopt;
  return timer_->deadline_ns();
}

}  // namespace jprof
