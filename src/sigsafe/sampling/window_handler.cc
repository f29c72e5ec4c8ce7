#include "sigsafe/sampling/window_handler.h"

#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/handler_scope.h"
#include "sigsafe/sampling/descriptor_owners.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {

void WindowHandler(int, siginfo_t* info, void*) {
  const HandlerScope scope;
  if ((info->si_code != POLL_IN && info->si_code != POLL_HUP) || InForkedChild()) return;
  Sampling().window_breakpoints.fetch_add(1, std::memory_order_relaxed);
  const uint32_t owner = OwnerOfDescriptor(info->si_fd);
  if (owner == kWindowBegins) Sampling().window.Open();
  if (owner == kWindowEnds) Sampling().window.Close();
  if (owner == kWindowTurns) Sampling().window.Turn();
}

}  // namespace jprof
