#include "sigsafe/sampling/wall_handler.h"

#include <ucontext.h>

#include "sigsafe/os/handler_scope.h"
#include "sigsafe/sampling/activity.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/signal_cookie.h"

namespace jprof {

ChainedHandler& WallHandlerChain() {
  static constinit ChainedHandler chain;
  return chain;
}

void WallHandler(int signal, siginfo_t* info, void* ucontext) {
  const HandlerScope scope;
  if (!IsOurs(*info, SI_QUEUE)) {
    WallHandlerChain().Forward(signal, info, ucontext);
    return;
  }
  const ThreadActivity activity = ActivityAt(static_cast<const ucontext_t*>(ucontext));
  TakeSample({SampleKind::kWall, activity, RecordIndex(*info), 1, ucontext});
}

}  // namespace jprof
