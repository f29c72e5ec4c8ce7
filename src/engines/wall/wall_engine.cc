#include "engines/wall/wall_engine.h"

#include "base/duration_text.h"
#include "base/engine_signals.h"
#include "base/log.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "sigsafe/sampling/wall_handler.h"
#include "threads/thread_signal.h"

namespace jprof {

Status WallEngine::CheckSignal() {
  const Status free = SignalAction::CheckIsFree(kWallSignal, WallHandler);
  if (free) return free;
  return Error(free.error().message() + ": another profiler is at work; stop it first");
}

Result<std::unique_ptr<Engine>> WallEngine::Start(ThreadRegistry& registry, WallThreads& threads,
                                                  Nanos interval_ns) {
  Result<SignalAction> action = SignalAction::Install(kWallSignal, WallHandler, kEngineSignals);
  if (!action) return action.error();
  std::unique_ptr<WallEngine> engine(
      new WallEngine(registry, threads, interval_ns, std::move(action).value()));
  Result<StoppableThread> sampler = StoppableThread::Start(
      "jprof-wall", [raw = engine.get()](const StopEvent& stop) { raw->Run(stop); });
  if (!sampler) return sampler.error();
  engine->sampler_ = std::move(sampler).value();
  registry.Ignore(engine->sampler_.tid());
  registry.AddListener(engine.get());
  return std::unique_ptr<Engine>(std::move(engine));
}

void WallEngine::Stop() {
  sampler_.Stop();
  action_.Uninstall();
  threads_.Finish();  // still told of threads that end: none of them is taken for another
  registry_.RemoveListener(this);
}

std::string WallEngine::Description() const { return "wall every " + DurationText(interval_ns_); }

void WallEngine::OnThreadStart(ProfiledThread& thread, Observed) { threads_.Add(thread); }

void WallEngine::OnThreadEnd(ProfiledThread& thread, EndedBy ended_by) {
  threads_.Remove(thread, ended_by == EndedBy::kItself ? WallThreads::Removal::kByItself
                                                       : WallThreads::Removal::kFromOutside);
}

void WallEngine::Run(const StopEvent& stop) {
  const WallThreads::Signal signal{
      [](const ProfiledThread& thread) {
        return SignalThread(thread.tid.load(std::memory_order_relaxed), kWallSignal, thread.index);
      },
      [](const ProfiledThread& thread) { return BlocksSignal(thread, kWallSignal); }};
  Nanos tick_ns = WallCutBefore(MonotonicNanos(), interval_ns_) + interval_ns_;
  while (!stop.WaitUntil(tick_ns)) {
    threads_.Tick(signal);
    // Ticks that are already over are skipped: resolution suffers, totals do not.
    const Nanos late_ns = MonotonicNanos() - tick_ns;
    tick_ns += interval_ns_ * (1 + late_ns / interval_ns_);
  }
}

}  // namespace jprof
