// WallEngine: one thread that ticks at the multiples of the interval on CLOCK_MONOTONIC and signals
// the registered threads, running or not; but not those that provably sleep (wall_threads.h).
//
// A tick that comes late does not change totals: each sample stands for the time elapsed since the
// thread's previous one (wall_accounting.h).
#pragma once

#include <memory>

#include "engines/engine.h"
#include "os/signal_action.h"
#include "os/stoppable_thread.h"
#include "sampling/wall_threads.h"
#include "threads/thread_registry.h"

namespace jprof {

class WallEngine final : public Engine, private ThreadListener {
 public:
  // Whether Start would get its signal. Touches nothing.
  static Status CheckSignal();

  // `threads` outlives the engine: the recorder takes from it what the engine leaves.
  static Result<std::unique_ptr<Engine>> Start(ThreadRegistry& registry, WallThreads& threads,
                                               Nanos interval_ns);

  ~WallEngine() override { Stop(); }

  void Stop() override;
  std::string Description() const override;

 private:
  WallEngine(ThreadRegistry& registry, WallThreads& threads, Nanos interval_ns, SignalAction action)
      : registry_(registry),
        threads_(threads),
        interval_ns_(interval_ns),
        action_(std::move(action)) {}

  void Run(const StopEvent& stop);
  void OnThreadStart(ProfiledThread& thread, Observed observed) override;
  void OnThreadEnd(ProfiledThread& thread, EndedBy ended_by) override;

  ThreadRegistry& registry_;
  WallThreads& threads_;
  const Nanos interval_ns_;
  SignalAction action_;
  StoppableThread sampler_;
};

}  // namespace jprof
