#include "engines/cpu_engine.h"

#include <algorithm>

#include "base/duration_text.h"
#include "base/log.h"
#include "engines/signals.h"
#include "os/cpu_clock.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/cpu_handler.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/signal_cookie.h"

namespace jprof {

Status CpuEngine::CheckSignal() { return SignalAction::CheckIsFree(kCpuSignal, CpuHandler); }

Result<std::unique_ptr<Engine>> CpuEngine::Start(ThreadRegistry& registry, Nanos interval_ns) {
  Result<SignalAction> action =
      SignalAction::Install(kCpuSignal, CpuHandler, CpuHandlerChain(), {kWallSignal});
  if (!action) return action.error();
  std::unique_ptr<CpuEngine> engine(
      new CpuEngine(registry, interval_ns, std::move(action).value()));
  registry.AddListener(engine.get());
  return std::unique_ptr<Engine>(std::move(engine));
}

CpuEngine::CpuEngine(ThreadRegistry& registry, Nanos interval_ns, SignalAction action)
    : registry_(registry),
      interval_ns_(interval_ns),
      action_(std::move(action)),
      random_(static_cast<uint32_t>(MonotonicNanos())) {}

void CpuEngine::Stop() {
  registry_.RemoveListener(this);
  timers_.clear();
  action_.Uninstall();
}

std::string CpuEngine::Description() const { return "cpu every " + DurationText(interval_ns_); }

// REQUIRES: `used_ns` is what the thread's CPU clock shows.
Nanos CpuEngine::FirstDue(const ProfiledThread& thread, Observed observed, Nanos used_ns) {
  const Nanos due_ns = thread.cpu_due_ns.load(std::memory_order_relaxed);
  if (observed == Observed::kAsItWas && due_ns != 0) return due_ns;
  std::uniform_int_distribution<Nanos> first(1, interval_ns_);
  return first(random_) + (observed == Observed::kFromBirth ? 0 : used_ns);
}

void CpuEngine::OnThreadStart(ProfiledThread& thread, Observed observed) {
  const Tid tid = thread.tid.load(std::memory_order_relaxed);
  const Nanos used_ns = TaskCpuNanos(tid);
  const Nanos due_ns = FirstDue(thread, observed, used_ns);
  thread.cpu_due_ns.store(due_ns, std::memory_order_relaxed);
  Result<CpuTimer> timer = CpuTimer::Create(tid, kCpuSignal, MakeCookie(thread.index),
                                            {std::max<Nanos>(due_ns - used_ns, 1), interval_ns_});
  if (timer) {
    timers_[thread.index] = std::move(timer).value();
  } else if (!reported_failure_ && TaskStartTicks(tid) != 0) {  // still there: a real failure
    reported_failure_ = true;
    Log::Warn("thread %d is not sampled for CPU, others may follow: %s", Value(tid),
              timer.error().message().c_str());
  }
}

void CpuEngine::OnThreadEnd(ProfiledThread& thread, EndedBy ended_by) {
  if (ended_by == EndedBy::kItself) RecordThreadEnd(&thread, SampleKind::kCpu);
  timers_.erase(thread.index);
}

}  // namespace jprof
