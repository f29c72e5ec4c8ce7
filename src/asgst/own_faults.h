// OpenFaults unblocks the signals for faults of the calling thread's own instructions. Threads of the
// profiler block all signals. But if the code of a tool faults on such a thread, the JVM is to report
// the crash, and a fault whose signal is blocked ends the process without a word.
#pragma once

#include <csignal>

namespace jprof::asgst {

inline void OpenFaults() {
  sigset_t faults;
  sigemptyset(&faults);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigaddset(&faults, signal);
  pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
}

}  // namespace jprof::asgst
