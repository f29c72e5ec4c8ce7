#include "sigsafe/sampling/prime_handler.h"

#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/handler_scope.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/signal_cookie.h"

namespace jprof {

void PrimeHandler(int, siginfo_t* info, void*) {
  const HandlerScope scope;
  if (!IsOurs(*info, SI_QUEUE) || InForkedChild()) return;
  AdoptSlot(SlotIndex(*info));
}

}  // namespace jprof
