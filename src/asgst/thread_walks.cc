#include "asgst/thread_walks.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "base/engine_signals.h"
#include "base/log.h"
#include "os/pages.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof::asgst {
namespace {

std::optional<ThreadRequests::Answer> Await(const ThreadRequests::Ticket& ticket) {
  constexpr Nanos kPause = 20'000;
  const Nanos end_ns = MonotonicNanos() + ThreadWalks::kPatience;
  for (;;) {
    const std::optional<ThreadRequests::Answer> answer = ThreadRequests::OfProcess().Poll(ticket);
    if (answer || MonotonicNanos() > end_ns) return answer;
    RawSleep(kPause);
  }
}

}  // namespace

ThreadWalks& ThreadWalks::OfProcess() {
  static auto* const walks = new ThreadWalks;
  return *walks;
}

// Searches downwards from SIGRTMAX, as for priming (threads/thread_signal.h): programs that choose a
// real-time signal start at SIGRTMIN. The JVM uses SIGRTMAX - 2.
bool ThreadWalks::Install() {
  if (signal_ != 0) return true;
  if (!has_memory_) {
    Result<Pages> pages = Pages::Reserve(ThreadRequests::kRegionSize);
    if (!pages) return false;
    ThreadRequests::OfProcess().Use(pages.value().Leak());
    has_memory_ = true;
  }
  const int of_jvm = SIGRTMAX - 2;
  for (int signal = SIGRTMAX; signal >= SIGRTMIN; --signal) {
    struct sigaction current {};
    if (signal == of_jvm || sigaction(signal, nullptr, &current) != 0 ||
        (current.sa_flags & SA_SIGINFO) != 0 || current.sa_handler != SIG_DFL) {
      continue;
    }
    Result<SignalAction> action =
        SignalAction::Install(signal, ThreadRequestHandler, kEngineSignals);
    if (!action) continue;
    action_ = std::move(action).value();
    signal_ = signal;
    return true;
  }
  Log::Warn("no real-time signal is free: other threads cannot be walked for tools");
  return false;
}

int ThreadWalks::Send(Tid tid, uint64_t cookie) {
  const std::lock_guard lock(mutex_);
  // A release of the API might have removed the handler meanwhile.
  if (!Install()) return EAGAIN;
  siginfo_t info{};
  info.si_signo = signal_;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = reinterpret_cast<void*>(cookie);
  const long result =
      RawSyscall(SYS_rt_tgsigqueueinfo, info.si_pid, Value(tid), signal_, RawArgument(&info));
  return static_cast<int>(-result);
}

int32_t ThreadWalks::Ask(Tid tid, int32_t options,
                         const std::function<void(const ThreadRequests::Answer&)>& use) {
  ThreadRequests& requests = ThreadRequests::OfProcess();
  if (Value(tid) <= 0 || !TaskExists(tid)) return kNoThread;
  {
    const std::lock_guard lock(mutex_);
    if (!Install()) return kNoAnswer;
  }
  requests.FreeEnded([](Tid asked) { return !TaskExists(asked); });
  // The signal of an earlier request is still pending, so a further one would not help.
  if (requests.Owes(tid)) return kNoAnswer;
  const std::optional<ThreadRequests::Ticket> ticket = requests.Open(tid, options);
  if (!ticket) return kTooManyWalks;
  const int error = Send(tid, ticket->Cookie());
  if (error != 0) {
    requests.Close(*ticket, false);
    return error == ESRCH ? kNoThread : kTooManyWalks;
  }
  const std::optional<ThreadRequests::Answer> answer = Await(*ticket);
  if (answer && answer->kind > 0) use(*answer);
  requests.Close(*ticket, true);
  return answer ? answer->kind : kNoAnswer;
}

void ThreadWalks::Stop() {
  const std::lock_guard lock(mutex_);
  action_.Uninstall();
  signal_ = 0;
  // The kernel has dropped the signals that were pending.
  ThreadRequests::OfProcess().FreeEnded([](Tid) { return true; });
}

}  // namespace jprof::asgst
