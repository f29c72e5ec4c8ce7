// CpuEngine: interrupts every thread after each interval of its CPU time, by a timer or a
// perf_event of each thread, or by one timer of the process (cpu_choice.h). Threads that do not run
// cost nothing. SwitchRate: measures which threads have a costly perf_event.
//
// The first sample is due at a time that is uniform in (0, interval], so a thread that uses less
// than the interval is sampled with a probability proportional to its CPU time. With every trigger,
// the weight of a sample comes from the thread's clock (cpu_sampling.h), even at the end of the
// thread and at the stop.
//
// The CPU time of a thread that blocks the signal is counted as lost (blocking_threads.h), also
// while the thread lives.
//
// Invariant: a registered thread has exactly one trigger. If the chosen trigger is unavailable for
// a thread (a resource limit), the thread gets the other kind; without either, its CPU time is
// accounted for without a stack. Both cases are reported once. If the choice allows it, a thread
// with so many context switches that its perf_event costs too much has a timer while that lasts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "chunks/off_thread_samples.h"
#include "engines/cpu/cpu_choice.h"
#include "engines/cpu/cpu_sender.h"
#include "engines/engine.h"
#include "os/cpu_timer.h"
#include "os/signal_action.h"
#include "os/stoppable_thread.h"
#include "sigsafe/base/types.h"
#include "threads/thread_registry.h"

namespace jprof {

// SwitchRate: the rate of context switches to a thread, per second of the thread's CPU time.
//
// Not for handlers; used by one thread at a time.
class SwitchRate {
 public:
  // The least CPU time over which a rate is measured.
  static constexpr Nanos kLeastCpu = kNanosPerSecond / 100;

  // Measures a new thread.
  SwitchRate() = default;

  // Measures a thread that has used `used_ns` of CPU time already, which does not count.
  explicit SwitchRate(Nanos used_ns) : cpu_ns_(used_ns), runs_(std::nullopt) {}

  // Returns the switches per second of CPU time since the last call that measured. Returns nullopt
  // if the thread has used less than kLeastCpu since then, or its earlier switches are not known.
  // Costs a system call for a thread that did not run, else also the read of a file.
  std::optional<double> SinceLast(Tid tid);

 private:
  Nanos cpu_ns_ = 0;                  // CPU time of the thread when it was last measured
  std::optional<uint64_t> runs_ = 0;  // switches to the thread until then; nullopt: not known
};

class CpuEngine final : public Engine, private ThreadListener {
 public:
  // `registry` and `off_thread` outlive the engine.
  CpuEngine(ThreadRegistry& registry, OffThreadSamples& off_thread, CpuChoice choice,
            EngineRequest request = {});

  ~CpuEngine() override { Stop(); }

  // Samples every registered thread from now on.
  Status Start() override;
  // Putting the probes of other engines into the code is not work of the program.
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
    uint32_t serial;  // serial of the thread: the slot might belong to another thread by now
    CpuSender sender;
    CpuSender retired;  // the previous sender, while one of its signals can be in flight
    SwitchRate switches;
    bool is_settled = false;  // a resource limit prevents another trigger
    // cpu_due_ns after a loss: while it is unchanged, the thread has not been sampled since.
    Nanos lost_until_ns = 0;
  };

  Status BeginSending();
  Nanos CpuNanosOfProgram();
  Status StartLooking();
  void LookAtSwitches(const StopEvent& stop);
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
  void OnThreadEnd(ThreadSlot& thread, EndedBy ended_by) override;

  ThreadRegistry& registry_;
  OffThreadSamples& off_thread_;
  const CpuChoice choice_;
  const EngineRequest request_;
  PerfRings* rings_ = nullptr;  // nullptr: no kernel frames
  bool is_started_ = false;
  Nanos unsampled_ns_ = 0;  // CPU time of the program before it was sampled
  SignalAction action_;
  ProcessTimer process_timer_;
  StoppableThread looker_;  // runs if timers may replace perf_events
  // The registry's lock guards all below, in its callbacks and its ForEach; Stop uses them after
  // the engine has ceased to be a listener.
  std::unordered_map<uint32_t, Watched> watched_;  // keyed by slot index
  std::minstd_rand random_;
  bool reported_fallback_ = false;
  bool reported_loss_ = false;

  // Threads without kernel frames although they were requested. relaxed: a plain counter.
  std::atomic<uint64_t> threads_without_kernel_frames_{0};
};

}  // namespace jprof
