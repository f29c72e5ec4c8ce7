// PerfEvent owns a perf_event that sends a signal to one thread whenever that thread has used
// another period of CPU time, or whenever the thread calls a given function.
//
// For periods the kernel uses a high-resolution timer. So a period can be shorter than the kernel's
// tick, but every context switch to or from the thread costs more. Calls are found by a breakpoint
// of the processor at the first instruction of the function; no code is changed. A thread can have
// only as many breakpoints as the processor has: four on x86, at least two on Arm.
//
// The signal has the si_code POLL_IN and the descriptor in si_fd, and carries no value. If the
// queue of a real-time signal is full, the kernel sends SIGIO instead. It never does so for a
// standard signal. Any thread may open an event for any thread of this process. If the kernel
// refuses to watch its own code (perf_event_paranoid), only user code is interrupted.
//
// With kStacks, the kernel also writes its own stack to a ring buffer (PerfRings) whenever it sends
// the signal. The kernel refuses kStacks to a process that may not watch the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"

namespace jprof {

class PerfEvent {
 public:
  enum class Kernel { kNoStacks, kStacks };

  // Creates an event for periods of CPU time, disabled at first. Fails if the kernel refuses the
  // event. Also fails if the descriptor is in the last quarter of the descriptor limit: this
  // quarter is left to the program.
  static Result<PerfEvent> Open(Tid tid, int signal, Nanos period_ns,
                                Kernel kernel = Kernel::kNoStacks);

  // Creates an event that sends the signal whenever the thread is about to run the instruction at
  // `address`. The event is disabled at first. Fails as Open does.
  static Result<PerfEvent> AtInstruction(Tid tid, int signal, uint64_t address);

  // Fails if this process may not open a PerfEvent. To find out, opens one for the calling thread.
  static Status CheckIsAllowed(Kernel kernel = Kernel::kNoStacks);

  // Returns the kernel's limit of samples per second; 0 if unknown. The kernel enforces the limit
  // per tick: an event that exceeds it is throttled until the next tick (Linux v6.1
  // kernel/events/core.c, __perf_event_account_interrupt). The kernel lowers the limit by itself
  // when samples take too long.
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

// Owns the ring buffers of perf_events. All are in one range of addresses, which stays readable for
// the life of the process, so that a late signal handler reads zeros and never faults. The range
// has a place for each ring. A place costs two pages of RAM while a ring is mapped there, and
// nothing at other times.
//
// Not for signal handlers. The caller serialises the calls for one place.
class PerfRings {
 public:
  // Reserves address space for `count` rings. The object is leaked on purpose; there is one per
  // process.
  static Result<PerfRings*> Reserve(size_t count);

  PerfRings(const PerfRings&) = delete;
  PerfRings& operator=(const PerfRings&) = delete;

  const uint8_t* base() const { return base_; }
  size_t page_bytes() const { return page_bytes_; }

  // Maps the event's ring at `place`: a page of control words and a page of records. Fails if the
  // kernel locks no more memory for this user (kernel.perf_event_mlock_kb).
  // REQUIRES: place < count.
  Status Map(int fd, size_t place);

  // Replaces the ring at `place` by zeros.
  void Unmap(size_t place);

 private:
  PerfRings(uint8_t* base, size_t count, size_t page_bytes)
      : base_(base), count_(count), page_bytes_(page_bytes) {}
  uint8_t* PlaceOf(size_t place) const {
    JPROF_CHECK(place < count_);
    return base_ + place * 2 * page_bytes_;
  }

  uint8_t* const base_;
  const size_t count_;
  const size_t page_bytes_;
};

}  // namespace jprof
