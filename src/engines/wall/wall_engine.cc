#include "engines/wall/wall_engine.h"

#include <utility>

#include "base/engine_signals.h"
#include "base/scaled_text.h"
#include "chunks/sample_events.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/signal_handlers.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "threads/thread_signal.h"

namespace jprof {
namespace {

ThreadState StateOf(ThreadActivity activity) {
  switch (activity) {
    case ThreadActivity::kRunning:
      return ThreadState::kRunnable;
    case ThreadActivity::kWaitingForCpu:
      return ThreadState::kWaitingForCpu;
    case ThreadActivity::kSleeping:
      return ThreadState::kSleeping;
    case ThreadActivity::kParked:
      return ThreadState::kParked;
    case ThreadActivity::kInObjectWait:
      return ThreadState::kInObjectWait;
    case ThreadActivity::kBlockedOnMonitor:
      return ThreadState::kBlockedOnMonitor;
    case ThreadActivity::kInIo:
      return ThreadState::kInIo;
    case ThreadActivity::kDefault:
      break;
  }
  return ThreadState::kUnknown;
}

// Returns kSleeping if `sampled` is kParked and the innermost Java frame is Thread.sleep, else
// `sampled`. The VM's thread state does not distinguish Thread.sleep from other timed waits.
ThreadActivity ActivityOf(const ResolvedSample& resolved, ThreadActivity sampled) {
  const bool sleeps =
      sampled == ThreadActivity::kParked && resolved.stacks.EndsInSleep(resolved.stack_key);
  return sleeps ? ThreadActivity::kSleeping : sampled;
}

// Writes a sample as one profiler.WallClockSample with its weight. If the sample found its thread
// running, also writes a jdk.ExecutionSample, because in the JDK's own recordings this event means
// that the thread was running. Does not write a jdk.ExecutionSample if the engine cpu is requested,
// because that engine writes these events itself.
void Write(const ResolvedSample& resolved, const SampleSettings& settings, JfrWriter& writer) {
  // For a lost sample, only the time that it stands for is known.
  const auto weight_ns = static_cast<Nanos>(resolved.sample.weight);
  const WallPayload payload = resolved.lost ? WallPayload{weight_ns, ThreadActivity::kDefault}
                                            : resolved.sample.Payload<WallPayload>();
  const ThreadActivity activity = ActivityOf(resolved, payload.activity);
  WallClockSample event;
  event.time_ns = resolved.sample.time_ns;
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  event.state = StateOf(activity);
  event.samples =
      static_cast<uint32_t>(settings.Reported(SampleKind::kWall, resolved.sample.weight));
  event.time_span_ns = payload.elapsed_ns;
  writer.Append(event);
  if (settings[SampleKind::kCpu].enabled() || activity != ThreadActivity::kRunning) return;
  WriteExecutionSamples(resolved, 1, writer);
}

uint64_t Count(uint64_t, const SampleSettings&) { return 1; }

}  // namespace

Result<std::unique_ptr<Engine>> MakeWallEngine(const Options& options,
                                               const EngineContext& context) {
  const Status free = SignalAction::CheckIsFree(kWallSignal, WallHandler);
  if (!free) {
    return Error(free.error().message() + ": another profiler is at work; stop it first");
  }
  return std::unique_ptr<Engine>(std::make_unique<WallEngine>(
      context.registry, context.off_thread, RequestOf(options, SampleKind::kWall)));
}

WallEngine::WallEngine(ThreadRegistry& registry, OffThreadSamples& off_thread,
                       EngineRequest request)
    : registry_(registry),
      off_thread_(off_thread),
      request_(std::move(request)),
      interval_ns_(request_.samples.interval),
      threads_(off_thread, interval_ns_) {}

Status WallEngine::Start() {
  Result<SignalAction> action = SignalAction::Install(kWallSignal, WallHandler, kEngineSignals);
  if (!action) return action.error();
  Result<StoppableThread> sampler =
      StoppableThread::Start("jprof-wall", [this](const StopEvent& stop) { Run(stop); });
  if (!sampler) return sampler.error();
  action_ = std::move(action).value();
  sampler_ = std::move(sampler).value();
  is_started_ = true;
  Sampling().SetInterval(SampleKind::kWall, interval_ns_);  // before a thread is added
  registry_.Ignore(sampler_.tid());
  registry_.AddListener(this);
  off_thread_.SetLater(SampleKind::kWall, [this] { return threads_.UnwrittenIntervals(); });
  return {};
}

bool WallEngine::Stop() {
  if (!std::exchange(is_started_, false)) return true;
  off_thread_.SetLater(SampleKind::kWall, nullptr);
  sampler_.Stop();
  action_.Uninstall();
  // Finish comes before RemoveListener. Until RemoveListener, OnThreadEnd removes the threads that
  // end, so that no entry refers to a slot that another thread has got.
  threads_.Finish();
  registry_.RemoveListener(this);
  Sampling().SetInterval(SampleKind::kWall, 0);
  return true;
}

std::optional<Engine::Signal> WallEngine::signal() const {
  return Signal{SampleKind::kWall, kWallSignal};
}

// Also enables jdk.ExecutionSample, because Write() can write these events. Leaves its settings
// alone if the engine cpu has already enabled it.
void WallEngine::AddSettings(EventSettings& settings) const {
  AddTimeRequest(request_, JfrType::kWallClockSample, "wall", settings);
  if (settings.Has(JfrType::kExecutionSample, "period")) return;
  settings.Enable(JfrType::kExecutionSample);
  settings.Set(JfrType::kExecutionSample, "period", DurationText(interval_ns_));
  settings.Set(JfrType::kExecutionSample, "request", "0");
}

std::string WallEngine::Description() const { return "wall every " + DurationText(interval_ns_); }

void WallEngine::OnThreadStart(ThreadSlot& thread, Observed) { threads_.Add(thread); }

void WallEngine::OnThreadEnd(ThreadSlot& thread, const EndOfThread& end) {
  threads_.Remove(thread, end.by == EndedBy::kItself ? WallThreads::Removal::kByItself
                                                     : WallThreads::Removal::kFromOutside);
}

void WallEngine::Run(const StopEvent& stop) {
  const WallThreads::Signal signal{
      [](const ThreadSlot& thread) {
        return SignalThread(thread.tid.load(std::memory_order_relaxed), kWallSignal, thread.index);
      },
      [](const ThreadSlot& thread) { return BlocksSignal(thread, kWallSignal); }};
  Nanos tick_ns = WallCutBefore(MonotonicNanos(), interval_ns_) + interval_ns_;
  while (!stop.WaitUntil(tick_ns)) {
    threads_.Tick(signal);
    // Ticks that are over already are skipped. This costs resolution, but does not change totals.
    const Nanos late_ns = MonotonicNanos() - tick_ns;
    tick_ns += interval_ns_ * (1 + late_ns / interval_ns_);
  }
}

extern const SampleEvents kWallSampleEvents{Write, Count};

}  // namespace jprof
