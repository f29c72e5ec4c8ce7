#include "threads/thread_primer.h"

#include <csignal>
#include <utility>

#include "base/engine_signals.h"
#include "sigsafe/sampling/signal_handlers.h"
#include "threads/thread_signal.h"

namespace jprof {
namespace {

// True if the signal has no handler, or still has ours, because another handler was in front of
// ours at the last stop.
bool IsFree(int signal) {
  struct sigaction action;
  if (sigaction(signal, nullptr, &action) != 0) return false;
  return (action.sa_flags & SA_SIGINFO) != 0 ? action.sa_sigaction == PrimeHandler
                                             : action.sa_handler == SIG_DFL;
}

}  // namespace

// Searches from the upper end: programs that choose a signal of their own start at SIGRTMIN.
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
