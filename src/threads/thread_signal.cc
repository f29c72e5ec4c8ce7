#include "threads/thread_signal.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "base/engine_signals.h"
#include "os/task_list.h"
#include "sigsafe/sampling/signal_handlers.h"
#include "sigsafe/sampling/signal_target.h"

namespace jprof {
namespace {

// True if the signal has no handler, or still has ours. When a ThreadPrimer ends, our handler stays
// installed if another handler has been installed on top of it.
bool IsFree(int signal) {
  struct sigaction action;
  if (sigaction(signal, nullptr, &action) != 0) return false;
  return (action.sa_flags & SA_SIGINFO) != 0 ? action.sa_sigaction == PrimeHandler
                                             : action.sa_handler == SIG_DFL;
}

}  // namespace

bool SignalThread(Tid tid, int signal, uint32_t slot_index) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value = MakeCookie(slot_index);
  return syscall(SYS_rt_tgsigqueueinfo, info.si_pid, Value(tid), signal, &info) == 0;
}

// Reads in_handler before and after asking the kernel, because the kernel's answer describes a
// moment in between.
bool BlocksSignal(const ThreadSlot& thread, int signal) {
  if (thread.in_handler.load(std::memory_order_relaxed)) return false;
  const Tid tid = thread.tid.load(std::memory_order_relaxed);
  return TaskBlocksSignal(tid, signal).value_or(true) &&
         !thread.in_handler.load(std::memory_order_relaxed);
}

// Searches from SIGRTMAX downwards, because programs that choose a real-time signal start at
// SIGRTMIN.
Result<std::unique_ptr<ThreadPrimer>> ThreadPrimer::Start() {
  for (int signal = SIGRTMAX; signal >= SIGRTMIN; --signal) {
    if (!IsFree(signal)) continue;
    Result<SignalAction> action = SignalAction::Install(signal, PrimeHandler, kEngineSignals);
    if (!action) return action.error();
    return std::unique_ptr<ThreadPrimer>(new ThreadPrimer(signal, std::move(action).value()));
  }
  return Error("every real-time signal has a handler: threads are primed by their first sample");
}

bool ThreadPrimer::Prime(const ThreadSlot& thread) const {
  return SignalThread(thread.tid.load(std::memory_order_relaxed), signal_, thread.index);
}

}  // namespace jprof
