// PerfEvent: owns a perf_event that sends a signal to one thread whenever that thread has used
// another period of CPU time, or whenever it calls a function.
//
// For periods the kernel uses a high-resolution timer: a period can be shorter than the kernel's
// tick, but every switch to or from the thread costs more. Calls are found by a breakpoint of the
// processor at the first instruction of the function; no code is changed. Processors have few
// breakpoints (four on x86, at least two on Arm), for each thread.
//
// The signal has the si_code POLL_IN and the descriptor in si_fd, and carries no value. A standard
// signal is never replaced by SIGIO. Any thread may open an event for any thread of this process.
// If the kernel refuses to watch its own code (perf_event_paranoid), only user code is interrupted.
//
// With kStacks each firing also leaves the kernel's own stack in a ring (perf_rings.h); the event
// is then refused to a process that may not watch the kernel.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "sigsafe/base/types.h"

namespace jprof {

class PerfEvent {
 public:
  enum class Kernel { kNoStacks, kStacks };

  // Creates an event for periods of CPU time, disabled at first. Also fails if the descriptor is in
  // the last quarter of the descriptor limit, which is left to the program.
  static Result<PerfEvent> Open(Tid tid, int signal, Nanos period_ns,
                                Kernel kernel = Kernel::kNoStacks);

  // Creates an event that sends the signal whenever the thread is about to run the instruction at
  // `address`. It is disabled at first, and fails, as Open does.
  static Result<PerfEvent> AtInstruction(Tid tid, int signal, uint64_t address);

  // Fails if this process may not open a PerfEvent: tries to open one for the calling thread.
  static Status CheckIsAllowed(Kernel kernel = Kernel::kNoStacks);

  // Returns the kernel's limit of samples per second; 0 if unknown. The limit is enforced per tick:
  // beyond it the event is throttled until the next tick (Linux v6.1 kernel/events/core.c,
  // __perf_event_account_interrupt). The kernel lowers the limit by itself when samples take too
  // long.
  static uint64_t MaxSamplesPerSecond();

  PerfEvent() = default;

  int fd() const { return fd_.get(); }

  void Enable() const;
  void Disable() const;

 private:
  static Result<PerfEvent> Owned(ScopedFd fd, Tid tid, int signal);

  explicit PerfEvent(ScopedFd fd) : fd_(std::move(fd)) {}

  ScopedFd fd_;
};

}  // namespace jprof
