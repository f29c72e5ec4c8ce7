// WallEngine samples the registered threads as time elapses, whether they run or not. The engine
// has one thread, which ticks at the multiples of the interval on CLOCK_MONOTONIC. At each tick it
// signals all threads except those that provably sleep (wall_threads.h).
//
// A late tick does not change totals: each sample stands for the time since the thread's previous
// sample (wall_accounting.h).
#pragma once

#include <memory>

#include "engines/engine.h"
#include "engines/wall/wall_threads.h"
#include "os/signal_action.h"
#include "os/stoppable_thread.h"
#include "threads/thread_registry.h"

namespace jprof {

class WallEngine final : public Engine, private ThreadListener {
 public:
  // REQUIRES: `registry` and `off_thread` outlive the engine.
  WallEngine(ThreadRegistry& registry, OffThreadSamples& off_thread, EngineRequest request);

  ~WallEngine() override { Stop(); }

  Status Start() override;
  // Returns true, like the CPU engine, so that the two engines begin to account for time together.
  bool StartsLast() const override { return true; }
  bool Stop() override;
  std::optional<Signal> signal() const override;
  std::string Description() const override;
  void AddSettings(EventSettings& settings) const override;
  void BeforeLastDrain(JNIEnv*) override { threads_.CloseSpans(); }

  // Returns the threads, for tests and measurements.
  WallThreads& threads() { return threads_; }

 private:
  void Run(const StopEvent& stop);
  void OnThreadStart(ThreadSlot& thread, Observed observed) override;
  void OnThreadEnd(ThreadSlot& thread, const EndOfThread& end) override;

  ThreadRegistry& registry_;
  OffThreadSamples& off_thread_;
  const EngineRequest request_;
  const Nanos interval_ns_;
  WallThreads threads_;
  bool is_started_ = false;
  SignalAction action_;
  StoppableThread sampler_;
};

}  // namespace jprof
