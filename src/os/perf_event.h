// PerfEvent: owns a perf_event that sends a signal to one thread whenever that thread has used
// another period of CPU time. The kernel uses a high-resolution timer: the period may be shorter
// than the kernel's tick, but every switch to or from the thread costs more.
//
// The signal has the si_code POLL_IN and the descriptor in si_fd, and carries no value. As a
// standard signal it is never replaced by SIGIO. Any thread may open one for any thread of this
// process. Where the kernel refuses to watch its own code (perf_event_paranoid), user code alone is
// interrupted.
//
// The same for calls of a function: a breakpoint of the processor at its first instruction. No code
// is changed. Processors have few of them (four on x86, at least two on Arm), for each thread.
//
// With kStacks each firing also leaves the kernel's own stack in a ring (perf_rings.h); a process
// that may not watch the kernel is refused then.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "sigsafe/base/types.h"

namespace jprof {

class PerfEvent {
 public:
  enum class Kernel { kNoStacks, kStacks };

  // The event is created disabled. Fails also if the descriptor is in the last quarter of the
  // descriptor limit, which is left to the program.
  static Result<PerfEvent> Open(Tid tid, int signal, Nanos period_ns,
                                Kernel kernel = Kernel::kNoStacks);

  // Sends the signal whenever the thread is about to run the instruction at `address`. Disabled at
  // first, and refused, as above.
  static Result<PerfEvent> AtInstruction(Tid tid, int signal, uint64_t address);

  // Whether this process may open a PerfEvent: tries to on the calling thread.
  static Status CheckIsAllowed(Kernel kernel = Kernel::kNoStacks);

  // The kernel's limit of samples per second, enforced per tick: beyond the limit the event is
  // throttled until the next tick (Linux v6.1 kernel/events/core.c,
  // __perf_event_account_interrupt). The kernel lowers the limit by itself when samples take too
  // long. 0: unknown.
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
