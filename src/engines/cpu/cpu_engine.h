// CpuEngine interrupts every thread after each interval of its CPU time, by a timer or a perf_event
// of each thread, or by one timer of the process (cpu_choice.h). Threads that do not run cost
// nothing.
//
// The first sample is due at a time that is uniform in (0, interval], so a thread that uses less
// than the interval is sampled with a probability proportional to its CPU time. With every trigger,
// the weight of a sample comes from the thread's CPU clock (cpu_sampling.h), even for the samples
// that are made at the end of the thread and at the stop.
//
// The CPU time of a thread that blocks the signal is counted as lost (thread_trigger.h), even
// before the thread ends.
//
// Invariant: unless the process timer is the trigger, a registered thread has at most one trigger
// at work, a timer or a perf_event. If a resource limit makes the chosen trigger unavailable for a
// thread, the thread gets the other trigger. If neither trigger is available, the thread's CPU time
// is counted as lost. The engine reports the first thread of each of these two cases. If
// CpuChoice::may_take_timers is true, a thread whose context switches make its perf_event too
// expensive gets a timer for as long as it switches that often. The cost that a perf_event adds to
// a switch is measured once a thread switches often (switch_cost.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "chunks/off_thread_samples.h"
#include "engines/cpu/cpu_choice.h"
#include "engines/cpu/thread_trigger.h"
#include "engines/engine.h"
#include "os/cpu_timer.h"
#include "os/signal_action.h"
#include "os/stoppable_thread.h"
#include "sigsafe/base/types.h"
#include "threads/thread_registry.h"

namespace jprof {

class CpuEngine final : public Engine, private ThreadListener {
 public:
  // REQUIRES: `registry` and `off_thread` outlive the engine.
  CpuEngine(ThreadRegistry& registry, OffThreadSamples& off_thread, CpuChoice choice,
            EngineRequest request = {});

  ~CpuEngine() override { Stop(); }

  // Samples every registered thread from now on.
  Status Start() override;
  // Returns true, so that other engines start before this one, and the CPU time for installing
  // their probes is not sampled.
  bool StartsLast() const override { return true; }
  bool Stop() override;
  void InspectThreads() override;
  std::optional<Signal> signal() const override { return Signal{SampleKind::kCpu, choice_.signal}; }
  std::string Description() const override;
  void AddSettings(EventSettings& settings) const override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

 private:
  struct Watched {
    ThreadSlot* thread;
    uint32_t serial;  // serial of the thread; the slot can pass to another thread
    CpuSender sender;
    CpuSender retired;  // the previous sender, while one of its signals can be on its way
    SwitchRate switches;
    double switch_rate = 0;     // as of the last look, in switches per second of CPU time
    bool is_settled = false;    // true if a resource limit prevents an exchange of the trigger
    bool saves_events = false;  // true if the thread has a timer because it switches often
    // The value of ThreadSlot::cpu_due_ns after CPU time was last counted as lost. While
    // lost_until_ns equals ThreadSlot::cpu_due_ns, the thread has not been sampled since.
    Nanos lost_until_ns = 0;
  };

  Status BeginSending();
  Nanos CpuNanosOfProgram();
  std::string SwitchCostText() const;
  Status StartLooking();
  void LookAtSwitches(const StopEvent& stop);
  template <typename Visitor>
  void ForEachWatched(Visitor&& visit);
  static double RateOf(Watched& watched);
  void ExchangeByRate(Watched& watched);
  void Exchange(Watched& watched, CpuTrigger trigger);
  CpuTimer::Schedule ScheduleFrom(Nanos due_ns, Nanos used_ns) const;
  Nanos FirstDue(const ThreadSlot& thread, Observed observed, Nanos used_ns);
  CpuSender SenderFor(const ThreadSlot& thread, CpuTimer::Schedule schedule);
  void ReportMissingKernelFrames(const ThreadSlot& thread, const Error& why);
  void ReportFallback(Tid tid, const Error& why, const Error* neither);
  bool HasNoTrigger(const Watched& watched) const;
  bool IsLost(const Watched& watched) const;
  bool IsLostAtItsEnd(const Watched& watched) const;
  std::unordered_set<uint32_t> SerialsWithoutSignals();
  void AccountForRemainingTime(const Watched& watched, bool has_no_signals);
  void OnThreadStart(ThreadSlot& thread, Observed observed) override;
  void OnThreadEnd(ThreadSlot& thread, const EndOfThread& end) override;

  ThreadRegistry& registry_;
  OffThreadSamples& off_thread_;
  const CpuChoice choice_;
  const EngineRequest request_;
  PerfRings* rings_ = nullptr;  // nullptr if there are no kernel frames
  bool is_started_ = false;
  Nanos unsampled_ns_ = 0;  // CPU time of the program before the start of sampling
  SignalAction action_;
  ProcessTimer process_timer_;
  StoppableThread looker_;  // runs LookAtSwitches if timers may replace perf_events
  // All members below are used with the registry's lock held: in the registry's callbacks and in
  // ForEach. Stop uses them without the lock after RemoveListener.
  std::unordered_map<uint32_t, Watched> watched_;  // keyed by slot index
  std::minstd_rand random_;
  bool reported_fallback_ = false;
  bool reported_loss_ = false;

  // Threads that have no kernel frames although these were requested. relaxed: a plain counter.
  std::atomic<uint64_t> threads_without_kernel_frames_{0};

  // The cost that a perf_event adds to a context switch; 0 until it is measured. Written by `looker_`.
  // relaxed: a plain value.
  std::atomic<Nanos> switch_cost_ns_{0};
  // The threads that have a timer because they switch often. relaxed: a plain counter.
  std::atomic<uint64_t> threads_with_timers_{0};
};

}  // namespace jprof
