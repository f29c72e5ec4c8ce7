// CpuEngine: a kernel timer on the CPU clock of every thread. A thread is sampled whenever it has
// consumed another interval of CPU time; threads that do not run cost nothing.
//
// The first expiry is uniform in (0, interval], so a thread shorter than the interval is sampled
// with the probability that its CPU time deserves. The kernel checks such timers at its ticks; how
// many intervals a sample stands for, the thread's clock says (cpu_accounting.h), also at its end.
//
// Invariant: a registered thread has exactly one timer, or its lack of one was reported.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <unordered_map>

#include "engines/engine.h"
#include "os/cpu_timer.h"
#include "os/signal_action.h"
#include "threads/thread_registry.h"

namespace jprof {

class CpuEngine final : public Engine, private ThreadListener {
 public:
  // Whether Start would get its signal. Touches nothing.
  static Status CheckSignal();

  // From here on every registered thread is sampled.
  static Result<std::unique_ptr<Engine>> Start(ThreadRegistry& registry, Nanos interval_ns);

  ~CpuEngine() override { Stop(); }

  void Stop() override;
  std::string Description() const override;

 private:
  CpuEngine(ThreadRegistry& registry, Nanos interval_ns, SignalAction action);

  Nanos FirstDue(const ProfiledThread& thread, Observed observed, Nanos used_ns);
  void OnThreadStart(ProfiledThread& thread, Observed observed) override;
  void OnThreadEnd(ProfiledThread& thread, EndedBy ended_by) override;

  ThreadRegistry& registry_;
  const Nanos interval_ns_;
  SignalAction action_;
  // All below under the registry's lock, in its callbacks; Stop touches them after it is no
  // listener.
  std::unordered_map<uint32_t, CpuTimer> timers_;  // by record index
  std::minstd_rand random_;
  bool reported_failure_ = false;
};

}  // namespace jprof
