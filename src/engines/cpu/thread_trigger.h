// The trigger of one thread. CpuSender owns the timer or the perf_event that interrupts the thread.
// SwitchRate measures the context switches that make a perf_event expensive.
//
// The functions at the end find threads whose sample is overdue because they block the signal. The
// CPU time of such a thread is counted as lost, because the thread's last stack does not represent
// that time. A sample can also be late because the thread stays in the kernel, or because its
// handler is throttled (cpu_sampling.h). In these cases the next sample represents the time.
//
// The kernel blocks the signal for a handler before the first instruction of the handler, and can
// preempt the thread at that point. Until the thread runs again, which can take long on a busy
// machine, it looks like a thread that blocks the signal itself. A sleeping thread is in no
// handler, so one read of its signal mask is enough. The mask of a runnable thread is read twice,
// and the thread must have run between the two reads.
//
// Not for signal handlers.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/result.h"
#include "options/options.h"
#include "os/cpu_timer.h"
#include "os/perf_event.h"
#include "sigsafe/base/types.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// CpuSender owns the timer or the perf_event that interrupts one thread. A CpuSender is empty if
// the process timer serves all threads, or if neither a timer nor a perf_event is available.
//
// Used by the cpu engine under the registry's lock.
class CpuSender {
 public:
  // Creates a timer or a perf_event and starts it. A perf_event records the kernel's frames in the
  // ring of `rings` that has the thread's slot index. It records no kernel frames if `rings` is
  // nullptr, or if the ring is not available. REQUIRES: `trigger` is kThreadTimers or kPerfEvents.
  static Result<CpuSender> Create(CpuTrigger trigger, int signal, const ThreadSlot& thread,
                                  CpuTimer::Schedule schedule, PerfRings* rings);

  CpuSender() = default;

  // Returns an Error with the reason if kernel frames were requested and the thread has none.
  const Status& kernel_frames() const { return kernel_frames_; }

  bool exists() const { return sender_.index() != 0; }
  bool is_timer() const { return std::holds_alternative<CpuTimer>(sender_); }

  // Stops sending. While this object lives, our handler still recognises a signal that was sent
  // before.
  void Silence();

  // Stops sending. Our handler no longer recognises a signal that a perf_event sent before.
  void Stop();

 private:
  // A perf_event. Our handler recognises its signals while its descriptor is open.
  class OwnedEvent {
   public:
    // Enables the event. Sets `*mapped` to an Error if no ring was available.
    OwnedEvent(PerfEvent event, uint32_t slot_index, PerfRings* rings, Status* mapped);
    OwnedEvent(OwnedEvent&& other) noexcept = default;
    OwnedEvent& operator=(OwnedEvent&& other) noexcept;
    ~OwnedEvent() { Close(); }

    void Silence() const { event_.Disable(); }
    void Close();

   private:
    PerfEvent event_;
    uint32_t slot_index_;
    PerfRings* rings_;  // nullptr if the event has no ring
  };

  std::variant<std::monostate, CpuTimer, OwnedEvent> sender_;
  Status kernel_frames_;
};

// SwitchRate measures the number of context switches to a thread per second of the thread's CPU
// time.
//
// Used by one thread at a time.
class SwitchRate {
 public:
  // The shortest CPU time over which a rate is measured.
  static constexpr Nanos kLeastCpu = kNanosPerSecond / 100;

  // Measures a thread from its start.
  SwitchRate() = default;

  // Measures a thread from now on. `used_ns` is the CPU time that the thread has used so far.
  explicit SwitchRate(Nanos used_ns) : cpu_ns_(used_ns), runs_(std::nullopt) {}

  // Measures, and returns the rate since the last measurement. If the thread has used less CPU time
  // than kLeastCpu since then, does not measure, and returns nullopt. Also returns nullopt if the
  // number of switches is unknown now or was unknown at the last measurement. Costs a system call,
  // and reads a file if the thread has used kLeastCpu.
  std::optional<double> SinceLast(Tid tid);

 private:
  Nanos cpu_ns_ = 0;                  // CPU time of the thread at the last measurement
  std::optional<uint64_t> runs_ = 0;  // switches to the thread until that time; nullopt if unknown
};

// True if the thread's sample is overdue by more than a working trigger can cause. `cpu_ns` is the
// time of the thread's CPU clock. Even a working trigger can be late, because the kernel checks
// timers only at its ticks.
bool IsCpuTimeOverdue(const ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns);

// True if the signal is pending on the calling thread.
bool SignalWaitsForThisThread(int signal);

// Counts as lost the thread's CPU time that is not accounted for yet, up to the value `cpu_ns` of
// its CPU clock. If no window is open, counts that time as outside windows instead.
void LoseCpuTime(ThreadSlot& thread, Nanos interval_ns, Nanos cpu_ns);

// The longest total time for which one call to SerialsOfBlockingThreads sleeps.
inline constexpr Nanos kLongestLook = 20'000'000;

// Returns the serials of the threads in `threads` that block `signal`. Leaves out a runnable thread
// that does not use 2 ms of CPU time within kLongestLook; a later call decides about that thread.
// Reads files and sleeps.
std::unordered_set<uint32_t> SerialsOfBlockingThreads(const std::vector<const ThreadSlot*>& threads,
                                                      int signal);

}  // namespace jprof
