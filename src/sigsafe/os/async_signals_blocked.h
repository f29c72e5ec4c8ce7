// AsyncSignalsBlocked: blocks all signals for the calling thread during a scope, except faults of
// its own instructions: the VM handles such faults as part of normal work, and a blocked fault
// would end the process.
//
// Used for a short time in which a thread and its own signal handlers must not both use the same
// data or lock. Costs two system calls.
#pragma once

#include <csignal>

namespace jprof {

class AsyncSignalsBlocked {
 public:
  AsyncSignalsBlocked() {
    sigset_t asynchronous;
    sigfillset(&asynchronous);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
      sigdelset(&asynchronous, signal);
    }
    pthread_sigmask(SIG_BLOCK, &asynchronous, &previous_);
  }
  ~AsyncSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }

  AsyncSignalsBlocked(const AsyncSignalsBlocked&) = delete;
  AsyncSignalsBlocked& operator=(const AsyncSignalsBlocked&) = delete;

 private:
  sigset_t previous_;
};

}  // namespace jprof
