#include "sigsafe/sampling/prime_handler.h"

#include "sigsafe/os/handler_scope.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/signal_cookie.h"

namespace jprof {

ChainedHandler& PrimeHandlerChain() {
  static constinit ChainedHandler chain;
  return chain;
}

void PrimeHandler(int signal, siginfo_t* info, void* ucontext) {
  const HandlerScope scope;
  if (!IsOurs(*info, SI_QUEUE)) {
    PrimeHandlerChain().Forward(signal, info, ucontext);
    return;
  }
  AdoptRecord(RecordIndex(*info));
}

}  // namespace jprof
