// PerfEvent: owns a perf_event of the kernel's that sends a signal to one thread whenever that
// thread has used another period of CPU time. By a high-resolution timer: the period may be shorter
// than the kernel's tick, but every switch to or from the thread costs more.
//
// The signal has the si_code POLL_IN and names the descriptor (si_fd); it carries no value. It is
// of the legacy kind and never falls back to SIGIO. Any thread may open one for any thread of this
// process. Where the kernel refuses to watch its own code (perf_event_paranoid), user code alone is
// interrupted.
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

  // Does not count yet. Fails also where the descriptor is one of the last quarter that the limit
  // allows: those are the program's.
  static Result<PerfEvent> Open(Tid tid, int signal, Nanos period_ns,
                                Kernel kernel = Kernel::kNoStacks);

  // Whether this process may open one: tries it on the calling thread.
  static Status CheckIsAllowed(Kernel kernel = Kernel::kNoStacks);

  // How many samples a second the kernel lets an event take, by ticks: then it rests until the next
  // one (Linux v6.1 kernel/events/core.c, __perf_event_account_interrupt). The kernel lowers that
  // by itself where samples take too long. 0: it does not say.
  static uint64_t MaxSamplesPerSecond();

  PerfEvent() = default;

  int fd() const { return fd_.get(); }

  void Enable() const;
  void Disable() const;

 private:
  explicit PerfEvent(ScopedFd fd) : fd_(std::move(fd)) {}

  ScopedFd fd_;
};

}  // namespace jprof
