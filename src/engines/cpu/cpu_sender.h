// CpuSender: what interrupts one thread, a timer or a perf_event; owns it. None where the process
// timer does it for all, or where there is nothing left to do it with.
//
// Used by the cpu engine under the registry's lock.
#pragma once

#include <variant>

#include "base/result.h"
#include "os/cpu_timer.h"
#include "os/perf_event.h"
#include "os/perf_rings.h"
#include "session/options/cpu_trigger.h"
#include "sigsafe/threads/profiled_thread.h"

namespace jprof {

class CpuSender {
 public:
  // REQUIRES: trigger is kThreadTimers or kPerfEvents. With `rings` perf_events record the kernel's
  // frames there, by record index; where no ring can be had, none.
  static Result<CpuSender> Create(CpuTrigger trigger, int signal, const ProfiledThread& thread,
                                  CpuTimer::Schedule schedule, PerfRings* rings);

  CpuSender() = default;

  // Fine where nobody asked for kernel frames; else why the thread has none.
  const Status& kernel_frames() const { return kernel_frames_; }

  bool exists() const { return sender_.index() != 0; }
  bool is_timer() const { return std::holds_alternative<CpuTimer>(sender_); }

  // Sends nothing from here on, but what is on its way is still known for ours while this lives.
  void Silence();

  // Sends nothing from here on.
  void Stop();

 private:
  // Ours as long as the descriptor is open.
  class OwnedEvent {
   public:
    // `mapped`: whether the ring could be had.
    OwnedEvent(PerfEvent event, uint32_t record_index, PerfRings* rings, Status* mapped);
    OwnedEvent(OwnedEvent&& other) noexcept = default;
    OwnedEvent& operator=(OwnedEvent&& other) noexcept;
    ~OwnedEvent() { Close(); }

    void Silence() const { event_.Disable(); }
    void Close();

   private:
    PerfEvent event_;
    uint32_t record_index_;
    PerfRings* rings_;  // nullptr: no ring of ours
  };

  std::variant<std::monostate, CpuTimer, OwnedEvent> sender_;
  Status kernel_frames_;
};

}  // namespace jprof
