#include "sigsafe/sampling/cpu_handler.h"

#include "sigsafe/os/handler_scope.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/signal_cookie.h"

namespace jprof {

ChainedHandler& CpuHandlerChain() {
  static constinit ChainedHandler chain;
  return chain;
}

void CpuHandler(int signal, siginfo_t* info, void* ucontext) {
  const HandlerScope scope;
  if (!IsOurs(*info, SI_TIMER)) {
    CpuHandlerChain().Forward(signal, info, ucontext);
    return;
  }
  // An expiry that found the previous signal still pending is counted by the kernel, not sent.
  const uint32_t expiries = 1 + static_cast<uint32_t>(info->si_overrun);
  TakeSample({SampleKind::kCpu, ThreadActivity::kDefault, RecordIndex(*info), expiries, ucontext});
}

}  // namespace jprof
