#include "threads/thread_signal.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "os/task_list.h"
#include "sigsafe/sampling/signal_target.h"

namespace jprof {

bool SignalThread(Tid tid, int signal, uint32_t slot_index) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value = MakeCookie(slot_index);
  return syscall(SYS_rt_tgsigqueueinfo, info.si_pid, Value(tid), signal, &info) == 0;
}

// in_handler is read before and after the question to the kernel, whose answer is about a moment
// between.
bool BlocksSignal(const ThreadSlot& thread, int signal) {
  if (thread.in_handler.load(std::memory_order_relaxed)) return false;
  const Tid tid = thread.tid.load(std::memory_order_relaxed);
  return TaskBlocksSignal(tid, signal).value_or(true) &&
         !thread.in_handler.load(std::memory_order_relaxed);
}

}  // namespace jprof
