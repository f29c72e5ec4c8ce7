#include "engines/cpu/cpu_engine.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/engine_signals.h"
#include "base/log.h"
#include "base/scaled_text.h"
#include "chunks/sample_events.h"
#include "engines/cpu/switch_cost.h"
#include "jfr/writer/jfr_events.h"
#include "os/cpu_clock.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/cpu_sampling.h"
#include "sigsafe/sampling/kernel_frames.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/signal_handlers.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace {

constexpr Nanos kFirstLook = kNanosPerSecond / 20;
constexpr Nanos kLookEvery = kNanosPerSecond / 2;
// A perf_event adds at most this share to the CPU time of a thread by its context switches. Above
// it the thread gets a timer, below half of it a perf_event. Between the two bounds the thread
// keeps its trigger.
constexpr double kMostForSwitches = 0.02;
constexpr double kFewForSwitches = kMostForSwitches / 2;
// The cost of a switch is measured once a thread has this rate of switches. At lower rates, a cost
// of 20 us would be less than kMostForSwitches.
constexpr double kRateToMeasure = 1000;
// The cost of a switch if it cannot be measured. The measured costs are 1 to 10 us (docs/clocks.md).
constexpr Nanos kAssumedSwitchCost = 5000;

// Returns the rings for kernel stacks. The first recording with kernel frames reserves the rings,
// which are never freed. Needs no lock: the sampler starts one CPU engine at a time.
Result<PerfRings*> KernelRingsOfProcess() {
  static constinit PerfRings* rings = nullptr;
  if (rings != nullptr) return rings;
  Result<PerfRings*> reserved = PerfRings::Reserve(ThreadSlots::kCapacity);
  if (!reserved) return reserved;
  rings = reserved.value();
  SetKernelRings(new KernelRings{rings->base(), rings->page_bytes()});
  return rings;
}

// Returns the number of events for a sample. Each interval that the sample stands for yields one
// jdk.ExecutionSample.
uint64_t Count(uint64_t weight, const SampleSettings& settings) {
  return settings.Reported(SampleKind::kCpu, weight);
}

void Write(const ResolvedSample& resolved, const SampleSettings& settings, JfrWriter& writer) {
  WriteExecutionSamples(resolved, Count(resolved.sample.weight, settings), writer);
}

}  // namespace

Result<std::unique_ptr<Engine>> MakeCpuEngine(const Options& options,
                                              const EngineContext& context) {
  EngineRequest request = RequestOf(options, SampleKind::kCpu);
  Result<CpuChoice> choice = ChooseCpuTrigger(
      {options.cpu_trigger, request.samples.interval, options.kernel_frames, options.cpu_signal});
  if (!choice) return choice.error();
  return std::unique_ptr<Engine>(std::make_unique<CpuEngine>(
      context.registry, context.off_thread, std::move(choice).value(), std::move(request)));
}

CpuEngine::CpuEngine(ThreadRegistry& registry, OffThreadSamples& off_thread, CpuChoice choice,
                     EngineRequest request)
    : registry_(registry),
      off_thread_(off_thread),
      choice_(std::move(choice)),
      request_(std::move(request)),
      random_(static_cast<uint32_t>(MonotonicNanos())) {}

Status CpuEngine::Start() {
  Result<SignalAction> action = SignalAction::Install(choice_.signal, CpuHandler, kEngineSignals);
  if (!action) return action.error();
  action_ = std::move(action).value();
  is_started_ = true;
  Sampling().SetInterval(SampleKind::kCpu, choice_.interval_ns);  // before the first signal
  const Status begun = BeginSending();
  if (!begun) Stop();
  return begun;
}

Status CpuEngine::BeginSending() {
  if (choice_.kernel_frames == KernelFrames::kYes) {
    const Result<PerfRings*> reserved = KernelRingsOfProcess();
    if (!reserved) return reserved.error();
    rings_ = reserved.value();  // NOLINT(clang-analyzer-core.uninitialized.Assign): a variant moved
  }
  if (choice_.trigger == CpuTrigger::kProcessTimer) {
    ProcessTimerIsOurs().store(true, std::memory_order_relaxed);
    Result<ProcessTimer> timer = ProcessTimer::Start(choice_.interval_ns);
    if (!timer) return timer.error();
    process_timer_ = std::move(timer).value();
  }
  if (choice_.may_take_timers) {
    if (const Status looks = StartLooking(); !looks) {
      Log::Warn("threads that switch very often are sampled at a higher cost: %s",
                looks.error().message().c_str());
    }
  }
  unsampled_ns_ = CpuNanosOfProgram();
  registry_.AddListener(this);
  return {};
}

// Returns the CPU time of the process without the CPU time of the profiler's own threads.
Nanos CpuEngine::CpuNanosOfProgram() {
  Nanos cpu_ns = ReadClock(CLOCK_PROCESS_CPUTIME_ID);
  for (const Tid tid : registry_.Ignored()) cpu_ns -= TaskCpuNanos(tid);
  return cpu_ns;
}

bool CpuEngine::Stop() {
  if (!std::exchange(is_started_, false)) return true;
  looker_.Stop();
  registry_.RemoveListener(this);
  process_timer_.Stop();
  for (auto& [index, watched] : watched_) watched.sender.Stop();
  if (const Status in_front = action_.CheckIsInFront(); !in_front) {
    Log::Warn(
        "another library took our signal over: CPU time is complete, but its stacks are older "
        "where that library did not pass signals on: %s",
        in_front.error().message().c_str());
  }
  action_.Uninstall();
  ProcessTimerIsOurs().store(false, std::memory_order_relaxed);
  const std::unordered_set<uint32_t> lost = SerialsWithoutSignals();
  for (auto& [index, watched] : watched_) {
    AccountForRemainingTime(watched, lost.contains(watched.serial));
  }
  watched_.clear();
  Sampling().SetInterval(SampleKind::kCpu, 0);
  return true;
}

std::string CpuEngine::Description() const {
  std::string text = "cpu every " + DurationText(choice_.interval_ns) + " by " + choice_.text;
  const uint64_t without = threads_without_kernel_frames_.load(std::memory_order_relaxed);
  if (without != 0) text += "; " + std::to_string(without) + " threads without kernel frames";
  text += SwitchCostText();
  const Status in_front = action_.CheckIsInFront();
  if (!in_front) text += "; but now " + in_front.error().message();
  return text;
}

// Returns the measured cost of a context switch and what follows from it; empty before it is
// measured.
std::string CpuEngine::SwitchCostText() const {
  const Nanos cost_ns = switch_cost_ns_.load(std::memory_order_relaxed);
  if (cost_ns == 0) return "";
  const auto most = static_cast<int64_t>(kMostForSwitches * kNanosPerSecond) / cost_ns;
  return "; a perf_event adds " + RoundedDurationText(static_cast<double>(cost_ns)) +
         " to each switch to a thread, so threads that switch more than " + std::to_string(most) +
         " times in a second of CPU time get timers: " +
         std::to_string(threads_with_timers_.load(std::memory_order_relaxed)) + " now";
}

void CpuEngine::AddSettings(EventSettings& settings) const {
  AddTimeRequest(request_, JfrType::kExecutionSample, "interval", settings);
  settings.Set(JfrType::kExecutionSample, "engine", choice_.text);
}

void CpuEngine::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  const uint64_t without = threads_without_kernel_frames_.load(std::memory_order_relaxed);
  if (without != 0) writer.Append(Counter{now_ns, "threads without kernel frames", without});
  writer.Append(Counter{now_ns, "ns of CPU before the first sample of cpu",
                        static_cast<uint64_t>(std::max<Nanos>(unsampled_ns_, 0))});
}

Status CpuEngine::StartLooking() {
  Result<StoppableThread> looker =
      StoppableThread::Start("jprof-cpu", [this](const StopEvent& stop) { LookAtSwitches(stop); });
  if (!looker) return looker.error();
  looker_ = std::move(looker).value();
  registry_.Ignore(looker_.tid());
  return {};
}

void CpuEngine::LookAtSwitches(const StopEvent& stop) {
  Nanos gap_ns = kFirstLook;
  while (!stop.WaitUntil(MonotonicNanos() + gap_ns)) {
    gap_ns = std::min(2 * gap_ns, kLookEvery);
    double highest_rate = 0;
    ForEachWatched([&](Watched& watched) {
      watched.switch_rate = RateOf(watched);
      highest_rate = std::max(highest_rate, watched.switch_rate);
    });
    if (highest_rate > kRateToMeasure && switch_cost_ns_.load(std::memory_order_relaxed) == 0) {
      const std::optional<Nanos> cost_ns =
          MeasureSwitchCost(choice_.interval_ns, [this](Tid tid) { registry_.Ignore(tid); });
      switch_cost_ns_.store(cost_ns.value_or(kAssumedSwitchCost), std::memory_order_relaxed);
    }
    uint64_t with_timers = 0;
    ForEachWatched([&](Watched& watched) {
      ExchangeByRate(watched);
      with_timers += watched.saves_events ? 1 : 0;
    });
    threads_with_timers_.store(with_timers, std::memory_order_relaxed);
  }
}

// Calls visit(watched) for every selected thread that the engine watches, with the registry's lock
// held.
template <typename Visitor>
void CpuEngine::ForEachWatched(Visitor&& visit) {
  registry_.ForEach([&](const ThreadSlot& thread) {
    const auto watched = watched_.find(thread.index);
    if (watched != watched_.end()) visit(watched->second);
  });
}

// Returns the rate of context switches since the last look; 0 if it is unknown, or if the thread
// cannot get another trigger.
double CpuEngine::RateOf(Watched& watched) {
  if (!watched.sender.exists() || watched.is_settled) return 0;
  const Tid tid = watched.thread->tid.load(std::memory_order_relaxed);
  const std::optional<double> rate = watched.switches.SinceLast(tid);
  if (!rate) return 0;
  // The thread has run since its trigger was exchanged, so it has handled the signals of the
  // retired sender unless it blocks them. If a blocked signal arrives later, our handler does not
  // recognise it: the CPU time of that signal stays due and is accounted for later.
  watched.retired = {};
  return *rate;
}

// Gives the thread another trigger if its rate of context switches makes that cheaper.
void CpuEngine::ExchangeByRate(Watched& watched) {
  const Nanos cost_ns = switch_cost_ns_.load(std::memory_order_relaxed);
  if (cost_ns == 0 || watched.switch_rate == 0) return;
  const double share = watched.switch_rate * static_cast<double>(cost_ns) / kNanosPerSecond;
  if (!watched.sender.is_timer() && share > kMostForSwitches) {
    Exchange(watched, CpuTrigger::kThreadTimers);
  } else if (watched.sender.is_timer() && share < kFewForSwitches) {
    Exchange(watched, CpuTrigger::kPerfEvents);
  }
}

void CpuEngine::Exchange(Watched& watched, CpuTrigger trigger) {
  const ThreadSlot& thread = *watched.thread;
  const Nanos used_ns = TaskCpuNanos(thread.tid.load(std::memory_order_relaxed));
  const Nanos due_ns = thread.cpu_due_ns.load(std::memory_order_relaxed);
  Result<CpuSender> sender =
      CpuSender::Create(trigger, choice_.signal, thread, ScheduleFrom(due_ns, used_ns), rings_);
  if (!sender) {
    Log::Debug("a thread keeps its trigger: %s", sender.error().message().c_str());
    watched.is_settled = true;
    return;
  }
  watched.sender.Silence();
  watched.retired = std::exchange(watched.sender, std::move(sender).value());
  watched.saves_events = trigger == CpuTrigger::kThreadTimers;
}

CpuTimer::Schedule CpuEngine::ScheduleFrom(Nanos due_ns, Nanos used_ns) const {
  return {std::max<Nanos>(due_ns - used_ns, 1), choice_.interval_ns};
}

// Returns the time on the thread's CPU clock at which the thread's first sample is due. REQUIRES:
// `used_ns` is the time that this clock shows now.
Nanos CpuEngine::FirstDue(const ThreadSlot& thread, Observed observed, Nanos used_ns) {
  const Nanos due_ns = thread.cpu_due_ns.load(std::memory_order_relaxed);
  if (observed == Observed::kContinued && due_ns != 0) return due_ns;
  std::uniform_int_distribution<Nanos> first(1, choice_.interval_ns);
  return first(random_) + (observed == Observed::kFromBirth ? 0 : used_ns);
}

void CpuEngine::OnThreadStart(ThreadSlot& thread, Observed observed) {
  const Nanos used_ns = TaskCpuNanos(thread.tid.load(std::memory_order_relaxed));
  const Nanos due_ns = FirstDue(thread, observed, used_ns);
  thread.cpu_due_ns.store(due_ns, std::memory_order_relaxed);
  CpuSender sender;
  if (choice_.trigger != CpuTrigger::kProcessTimer) {
    sender = SenderFor(thread, ScheduleFrom(due_ns, used_ns));
  }
  if (!sender.kernel_frames()) {
    ReportMissingKernelFrames(thread, sender.kernel_frames().error());
  }
  const SwitchRate switches = observed == Observed::kFromBirth ? SwitchRate() : SwitchRate(used_ns);
  watched_[thread.index] = {
      &thread, thread.serial.load(std::memory_order_relaxed), std::move(sender), {}, switches};
}

CpuSender CpuEngine::SenderFor(const ThreadSlot& thread, CpuTimer::Schedule schedule) {
  Result<CpuSender> chosen =
      CpuSender::Create(choice_.trigger, choice_.signal, thread, schedule, rings_);
  if (chosen) return std::move(chosen).value();
  const Tid tid = thread.tid.load(std::memory_order_relaxed);
  if (!TaskExists(tid)) return {};
  const CpuTrigger other = choice_.trigger == CpuTrigger::kThreadTimers ? CpuTrigger::kPerfEvents
                                                                        : CpuTrigger::kThreadTimers;
  Result<CpuSender> fallback = CpuSender::Create(other, choice_.signal, thread, schedule, rings_);
  ReportFallback(tid, chosen.error(), fallback ? nullptr : &fallback.error());
  return fallback ? std::move(fallback).value() : CpuSender();
}

void CpuEngine::ReportMissingKernelFrames(const ThreadSlot& thread, const Error& why) {
  const uint64_t before = threads_without_kernel_frames_.fetch_add(1, std::memory_order_relaxed);
  if (before != 0) return;
  Log::Warn("thread %d has no kernel frames, others may follow; status counts them: %s",
            Value(thread.tid.load(std::memory_order_relaxed)), why.message().c_str());
}

void CpuEngine::ReportFallback(Tid tid, const Error& why, const Error* neither) {
  bool& reported = neither == nullptr ? reported_fallback_ : reported_loss_;
  if (std::exchange(reported, true)) return;
  if (neither == nullptr) {
    const bool timers = choice_.trigger == CpuTrigger::kThreadTimers;
    Log::Warn("thread %d is sampled by %s, others may follow: %s", Value(tid),
              timers ? "perf_events" : "a thread timer", why.message().c_str());
  } else {
    Log::Warn("thread %d is not sampled for CPU, others may follow; its time is counted: %s; %s",
              Value(tid), why.message().c_str(), neither->message().c_str());
  }
}

bool CpuEngine::HasNoTrigger(const Watched& watched) const {
  return choice_.trigger != CpuTrigger::kProcessTimer && !watched.sender.exists();
}

// True if the CPU time since the thread's last sample is lost, whether or not it is overdue
// (IsCpuTimeOverdue). This is so if the thread has no trigger, or has not been sampled since its
// CPU time was last counted as lost.
bool CpuEngine::IsLost(const Watched& watched) const {
  return HasNoTrigger(watched) ||
         watched.thread->cpu_due_ns.load(std::memory_order_relaxed) == watched.lost_until_ns;
}

// True if the CPU time since the last sample is lost when the calling thread, which is
// `watched.thread`, ends.
bool CpuEngine::IsLostAtItsEnd(const Watched& watched) const {
  if (IsLost(watched)) return true;
  return IsCpuTimeOverdue(*watched.thread, choice_.interval_ns, ThreadCpuNanos()) &&
         SignalWaitsForThisThread(choice_.signal);
}

void CpuEngine::OnThreadEnd(ThreadSlot& thread, const EndOfThread& end) {
  const auto watched = watched_.find(thread.index);
  if (watched == watched_.end()) return;
  if (end.by == EndedBy::kItself) {
    if (IsLostAtItsEnd(watched->second)) {
      LoseCpuTime(thread, choice_.interval_ns, ThreadCpuNanos());
    } else {
      RecordCpuThreadEnd(thread);
    }
  }
  watched_.erase(watched);
}

// Visits the threads twice, because SerialsWithoutSignals reads files. Files must not be read with
// the registry's lock held: threads wait for that lock when they start and end.
void CpuEngine::InspectThreads() {
  const std::unordered_set<uint32_t> lost = SerialsWithoutSignals();
  if (lost.empty()) return;
  ForEachWatched([&](Watched& watched) {
    ThreadSlot& thread = *watched.thread;
    if (lost.count(thread.serial.load(std::memory_order_relaxed)) == 0) return;
    LoseCpuTime(thread, choice_.interval_ns,
                TaskCpuNanos(thread.tid.load(std::memory_order_relaxed)));
    watched.lost_until_ns = thread.cpu_due_ns.load(std::memory_order_relaxed);
  });
}

// Returns the serials of the threads whose CPU time is overdue because no signal reaches them. Such
// a thread has no trigger, or blocks the signal.
std::unordered_set<uint32_t> CpuEngine::SerialsWithoutSignals() {
  std::unordered_set<uint32_t> serials;
  std::vector<const ThreadSlot*> in_doubt;
  ForEachWatched([&](const Watched& watched) {
    const ThreadSlot& thread = *watched.thread;
    const Nanos used_ns = TaskCpuNanos(thread.tid.load(std::memory_order_relaxed));
    if (!IsCpuTimeOverdue(thread, choice_.interval_ns, used_ns)) return;
    if (HasNoTrigger(watched)) {
      serials.insert(thread.serial.load(std::memory_order_relaxed));
    } else {
      in_doubt.push_back(&thread);
    }
  });
  serials.merge(SerialsOfBlockingThreads(in_doubt, choice_.signal));
  return serials;
}

// Called after the stop. Accounts for the CPU time since the thread's last sample. Counts this time
// as lost if no signal reaches the thread. Otherwise adds a sample with the thread's last stack, or
// counts the time as outside windows if no window is open.
void CpuEngine::AccountForRemainingTime(const Watched& watched, bool has_no_signals) {
  ThreadSlot& thread = *watched.thread;
  if (thread.serial.load(std::memory_order_relaxed) != watched.serial) return;
  const Nanos used_ns = TaskCpuNanos(thread.tid.load(std::memory_order_relaxed));
  if (IsLost(watched) || has_no_signals) {
    LoseCpuTime(thread, choice_.interval_ns, used_ns);
    return;
  }
  const uint64_t weight = AccountCpuTime(thread, choice_.interval_ns, used_ns);
  if (weight == 0) return;
  if (!Sampling().window.IsOpen()) {
    AddOutsideWindows(SampleKind::kCpu, weight);
    return;
  }
  off_thread_.Push(thread, SampleOfLastStack(thread, SampleKind::kCpu, weight, MonotonicNanos()));
}

extern const SampleEvents kCpuSampleEvents{Write, Count};

}  // namespace jprof
