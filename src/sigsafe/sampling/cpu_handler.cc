#include "sigsafe/sampling/cpu_handler.h"

#include <algorithm>
#include <optional>

#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/handler_scope.h"
#include "sigsafe/sampling/cpu_sampling.h"
#include "sigsafe/sampling/descriptor_owners.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/signal_cookie.h"

namespace jprof {

namespace {

std::atomic<bool> g_process_timer_is_ours{false};

// A signal that one of the triggers has sent.
struct Origin {
  uint32_t slot_index;
  uint32_t expiries;
};

std::optional<Origin> OriginOf(const siginfo_t& info) {
  // An expiry that found the previous signal still pending is counted by the kernel, not sent.
  if (IsOurs(info, SI_TIMER)) {
    return Origin{SlotIndex(info), 1 + static_cast<uint32_t>(std::max(info.si_overrun, 0))};
  }
  if (info.si_code == POLL_IN || info.si_code == POLL_HUP) {
    const uint32_t owner = OwnerOfDescriptor(info.si_fd);
    if (owner < kFirstOfWindows) return Origin{owner, 1};
  }
  // Whose time has run out, the clock of the running thread says.
  if (info.si_code == SI_KERNEL && ProcessTimerIsOurs().load(std::memory_order_relaxed)) {
    return Origin{kCurrentThread, 0};
  }
  return std::nullopt;
}

}  // namespace

std::atomic<bool>& ProcessTimerIsOurs() { return g_process_timer_is_ours; }

void CpuHandler(int, siginfo_t* info, void* ucontext) {
  const HandlerScope scope;
  const std::optional<Origin> origin = OriginOf(*info);
  if (!origin || InForkedChild()) return;
  TakeCpuSample(origin->slot_index, origin->expiries, ucontext);
}

}  // namespace jprof
