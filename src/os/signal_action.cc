// NOLINTNEXTLINE(bugprone-reserved-identifier): its name in glibc (2.17 and later)
extern "C" int __sigaction(int signal, const struct sigaction* action, struct sigaction* previous);

#include "os/signal_action.h"

#include <dlfcn.h>

#include <cstring>
#include <string>
#include <utility>

#include "base/engine_signals.h"

namespace jprof {
namespace {

Result<struct sigaction> Replace(int signal, const struct sigaction* action) {
  struct sigaction previous;
  if (__sigaction(signal, action, &previous) == 0) return previous;
  return Error::FromErrno("sigaction", strsignal(signal));
}

bool IsDefaultOrIgnored(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 &&
         (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN);
}

bool IsOurs(const struct sigaction& action, SignalAction::Handler ours) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == ours;
}

// Fails if `action` has a handler other than `ours`. SIG_DFL and SIG_IGN are no handlers.
Status CheckIsUnhandled(int signal, const struct sigaction& action, SignalAction::Handler ours) {
  if (IsOurs(action, ours) || IsDefaultOrIgnored(action)) return {};
  return Error(SignalName(signal) + " is handled already, by " + LibraryOf(action));
}

Result<struct sigaction> CurrentAction(int signal) {
  struct sigaction current;
  if (sigaction(signal, nullptr, &current) == 0) return current;
  return Error::FromErrno("sigaction", strsignal(signal));
}

}  // namespace

Result<struct sigaction> KernelAction(int signal) { return Replace(signal, nullptr); }

Result<bool> ExchangeKernelAction(int signal, const struct sigaction& expected,
                                  const struct sigaction& action) {
  const Result<struct sigaction> replaced = Replace(signal, &action);
  if (!replaced) return replaced.error();
  if (IsSameAction(replaced.value(), expected)) return true;
  const Result<struct sigaction> put_back = Replace(signal, &replaced.value());
  if (!put_back) return put_back.error();
  return false;
}

// Compares the masks signal by signal, because the kernel fills only the part of a mask that has
// signals.
bool IsSameAction(const struct sigaction& one, const struct sigaction& other) {
  if (one.sa_sigaction != other.sa_sigaction || one.sa_flags != other.sa_flags) return false;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&one.sa_mask, signal) != sigismember(&other.sa_mask, signal)) return false;
  }
  return true;
}

// Reads sa_sigaction even if the handler is in sa_handler: both members share their storage.
std::string LibraryOf(const struct sigaction& action) {
  Dl_info info;
  const bool found = dladdr(reinterpret_cast<void*>(action.sa_sigaction), &info) != 0;
  return found && info.dli_fname != nullptr ? info.dli_fname : "code of no library";
}

Status SignalAction::CheckIsFree(int signal, Handler ours) {
  const Result<struct sigaction> current = CurrentAction(signal);
  if (!current) return current.error();
  return CheckIsUnhandled(signal, current.value(), ours);
}

Result<SignalAction> SignalAction::Install(int signal, Handler handler,
                                           std::initializer_list<int> blocked) {
  const Status free = CheckIsFree(signal, handler);
  if (!free) return free.error();
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int other : blocked) sigaddset(&action.sa_mask, other);
  struct sigaction previous;
  if (sigaction(signal, &action, &previous) != 0) {
    return Error::FromErrno("sigaction", strsignal(signal));
  }
  const Status still_free = CheckIsUnhandled(signal, previous, handler);
  if (!still_free) {  // a handler was installed meanwhile: restore that one
    sigaction(signal, &previous, nullptr);
    return still_free.error();
  }
  // If our handler was installed already, another library has restored it after our Uninstall. The
  // action before our handler is then taken to be the default.
  if (IsOurs(previous, handler)) previous = {};
  return SignalAction(signal, handler, previous);
}

SignalAction::SignalAction(SignalAction&& other) noexcept
    : signal_(std::exchange(other.signal_, 0)),
      handler_(other.handler_),
      previous_(other.previous_) {}

SignalAction& SignalAction::operator=(SignalAction&& other) noexcept {
  if (this != &other) {
    Uninstall();
    signal_ = std::exchange(other.signal_, 0);
    handler_ = other.handler_;
    previous_ = other.previous_;
  }
  return *this;
}

Status SignalAction::CheckIsInFront() const {
  return signal_ == 0 ? Status() : CheckIsFree(signal_, handler_);
}

void SignalAction::Uninstall() {
  if (signal_ == 0) return;
  const int signal = std::exchange(signal_, 0);
  struct sigaction current;
  if (sigaction(signal, nullptr, &current) != 0 || !IsOurs(current, handler_)) return;
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(signal, &ignore, nullptr);
  sigaction(signal, &previous_, nullptr);
}

}  // namespace jprof
