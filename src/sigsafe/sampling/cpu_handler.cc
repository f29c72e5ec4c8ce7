#include "sigsafe/sampling/cpu_handler.h"

#include <algorithm>
#include <optional>

#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/handler_scope.h"
#include "sigsafe/sampling/descriptor_owners.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/signal_cookie.h"

namespace jprof {

namespace {

// A signal that one of the triggers has sent.
struct Origin {
  uint32_t record_index;
  uint32_t expiries;
};

std::optional<Origin> OriginOf(const siginfo_t& info) {
  // An expiry that found the previous signal still pending is counted by the kernel, not sent.
  if (IsOurs(info, SI_TIMER)) {
    return Origin{RecordIndex(info), 1 + static_cast<uint32_t>(std::max(info.si_overrun, 0))};
  }
  if (info.si_code == POLL_IN || info.si_code == POLL_HUP) {
    const uint32_t owner = OwnerOfDescriptor(info.si_fd);
    if (owner != kNoOwner) return Origin{owner, 1};
  }
  // For whom the time was used, the threads' clocks say.
  if (info.si_code == SI_KERNEL && ProcessTimerIsOurs().load(std::memory_order_relaxed)) {
    return Origin{kWhoeverRuns, 0};
  }
  return std::nullopt;
}

}  // namespace

void CpuHandler(int, siginfo_t* info, void* ucontext) {
  const HandlerScope scope;
  const std::optional<Origin> origin = OriginOf(*info);
  if (!origin || InForkedChild()) return;
  TakeSample({SampleKind::kCpu, ThreadActivity::kDefault, origin->record_index, origin->expiries,
              ucontext});
}

}  // namespace jprof
