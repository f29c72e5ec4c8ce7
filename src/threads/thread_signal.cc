#include "threads/thread_signal.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "sigsafe/sampling/signal_cookie.h"

namespace jprof {

bool SignalThread(Tid tid, int signal, uint32_t record_index) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value = MakeCookie(record_index);
  return syscall(SYS_rt_tgsigqueueinfo, info.si_pid, Value(tid), signal, &info) == 0;
}

}  // namespace jprof
