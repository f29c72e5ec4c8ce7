// Timers that send signals: CpuTimer runs on the CPU time of one thread, ProcessTimer on that of
// the whole process.
//
// Not async-signal-safe.
#pragma once

#include <csignal>
#include <utility>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Owns a kernel timer that sends a signal to one thread whenever that thread has used another
// interval of CPU time.
//
// Any thread may create a timer for any thread of this process. The kernel checks CPU timers at its
// ticks (4 ms at HZ 250) and reports merged expiries as overruns (si_overrun). If the thread exits
// before the timer is deleted, the timer never fires again, but still counts against
// RLIMIT_SIGPENDING.
class CpuTimer {
 public:
  struct Schedule {
    Nanos first_ns;     // CPU time until the first expiry, >= 1
    Nanos interval_ns;  // CPU time between expiries
  };

  // Creates and starts a timer. Its signals have si_code SI_TIMER and carry `cookie`.
  static Result<CpuTimer> Create(Tid tid, int signal, sigval cookie, Schedule schedule);

  CpuTimer() = default;
  CpuTimer(CpuTimer&& other) noexcept : id_(std::exchange(other.id_, kNone)) {}
  CpuTimer& operator=(CpuTimer&& other) noexcept;
  ~CpuTimer() { Delete(); }

  void Delete();

 private:
  static constexpr int kNone = -1;

  explicit CpuTimer(int id) : id_(id) {}

  int id_ = kNone;  // the kernel's timer id, not glibc's timer_t
};

// Owns ITIMER_PROF, a timer on the CPU time of the whole process; a process has only one. Whenever
// the process has used another interval of CPU time, the kernel sends SIGPROF, with si_code
// SI_KERNEL, to a running thread.
//
// Used by one thread at a time.
class ProcessTimer {
 public:
  // Starts the timer. Fails if the program is using ITIMER_PROF itself.
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
