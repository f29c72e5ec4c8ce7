#include "sigsafe/os/fault_handler.h"

#include "sigsafe/os/guarded_load.h"

namespace jprof {

ChainedHandler& FaultChain(int signal) {
  static constinit ChainedHandler on_segv;
  static constinit ChainedHandler on_bus;
  return signal == SIGBUS ? on_bus : on_segv;
}

void FaultHandler(int signal, siginfo_t* info, void* ucontext) {
  if (RecoverGuardedLoad(ucontext)) return;
  FaultChain(signal).Forward(signal, info, ucontext);
}

}  // namespace jprof
