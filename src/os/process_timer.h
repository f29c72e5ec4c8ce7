// ProcessTimer: owns the only timer on the CPU time of the whole process (ITIMER_PROF). Whenever
// the process has used another interval, the kernel sends SIGPROF, with si_code SI_KERNEL, to a
// running thread.
//
// Used by one thread at a time. Not async-signal-safe.
#pragma once

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

class ProcessTimer {
 public:
  // Starts the timer. Fails if it is in use already.
  static Result<ProcessTimer> Start(Nanos interval_ns);

  ProcessTimer() = default;
  ProcessTimer(ProcessTimer&& other) noexcept;
  ProcessTimer& operator=(ProcessTimer&& other) noexcept;
  ~ProcessTimer() { Stop(); }

  void Stop();

 private:
  bool running_ = false;
};

}  // namespace jprof
