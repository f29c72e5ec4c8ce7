// CpuSender: owns the timer or the perf_event that interrupts one thread. Empty if the process
// timer serves all threads, or if neither is available.
//
// Used by the cpu engine under the registry's lock.
#pragma once

#include <variant>

#include "base/result.h"
#include "options/options.h"
#include "os/cpu_timer.h"
#include "os/perf_event.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class CpuSender {
 public:
  // Creates a timer or a perf_event that is running. With `rings` a perf_event records the kernel's
  // frames there, by slot index; without a free ring it records none. REQUIRES: trigger is
  // kThreadTimers or kPerfEvents.
  static Result<CpuSender> Create(CpuTrigger trigger, int signal, const ThreadSlot& thread,
                                  CpuTimer::Schedule schedule, PerfRings* rings);

  CpuSender() = default;

  // Returns an Error if the thread lacks the kernel frames that were requested: the reason.
  const Status& kernel_frames() const { return kernel_frames_; }

  bool exists() const { return sender_.index() != 0; }
  bool is_timer() const { return std::holds_alternative<CpuTimer>(sender_); }

  // Ends sending. A signal in flight is still recognised as ours while this object lives.
  void Silence();

  // Ends sending. A signal of a perf_event that is in flight is no longer recognised as ours.
  void Stop();

 private:
  // A perf_event whose signals are recognised as ours while its descriptor is open.
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
    PerfRings* rings_;  // nullptr: no ring
  };

  std::variant<std::monostate, CpuTimer, OwnedEvent> sender_;
  Status kernel_frames_;
};

}  // namespace jprof
