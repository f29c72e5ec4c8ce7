// WallEngine: one thread that signals every registered thread once per interval, running or not, at
// the multiples of the interval on CLOCK_MONOTONIC.
//
// A tick that comes late does not change totals: each sample stands for the time elapsed since the
// thread's previous one (wall_accounting.h).
#pragma once

#include <memory>
#include <vector>

#include "engines/engine.h"
#include "os/native_thread.h"
#include "os/signal_action.h"
#include "os/stop_event.h"
#include "threads/thread_registry.h"

namespace jprof {

class WallEngine final : public Engine {
 public:
  // Whether Start would get its signal. Touches nothing.
  static Status CheckSignal();

  static Result<std::unique_ptr<Engine>> Start(ThreadRegistry& registry, Nanos interval_ns);

  ~WallEngine() override { Stop(); }

  void Stop() override;
  std::string Description() const override;

 private:
  struct Target {
    Tid tid;
    uint32_t record_index;
  };

  WallEngine(ThreadRegistry& registry, Nanos interval_ns, SignalAction action, StopEvent stop);

  void Run();
  void SignalAll(std::vector<Target>& targets);

  ThreadRegistry& registry_;
  const Nanos interval_ns_;
  SignalAction action_;
  StopEvent stop_;
  NativeThread sampler_;
};

}  // namespace jprof
