#include "os/signal_action.h"

#include <dlfcn.h>

#include <cstring>
#include <string>
#include <utility>

namespace jprof {
namespace {

bool IsDefaultOrIgnored(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 &&
         (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN);
}

bool IsOurs(const struct sigaction& action, SignalAction::Handler ours) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == ours;
}

// sa_handler and sa_sigaction share their place.
std::string LibraryOf(const struct sigaction& action) {
  Dl_info info;
  const bool found = dladdr(reinterpret_cast<void*>(action.sa_sigaction), &info) != 0;
  return found && info.dli_fname != nullptr ? info.dli_fname : "code of no library";
}

Result<struct sigaction> CurrentAction(int signal) {
  struct sigaction current;
  if (sigaction(signal, nullptr, &current) == 0) return current;
  return Error::FromErrno("sigaction", strsignal(signal));
}

}  // namespace

Status SignalAction::CheckIsFree(int signal, Handler ours) {
  const Result<struct sigaction> current = CurrentAction(signal);
  if (!current) return current.error();
  if (IsOurs(current.value(), ours) || IsDefaultOrIgnored(current.value())) return {};
  return Error("signal " + std::to_string(signal) + " (" + strsignal(signal) +
               ") is handled already, by " + LibraryOf(current.value()) +
               ": another profiler is at work; stop it first");
}

Result<SignalAction> SignalAction::Install(int signal, Handler handler, ChainedHandler& chain,
                                           std::initializer_list<int> blocked) {
  const Status free = CheckIsFree(signal, handler);
  if (!free) return free.error();
  const Result<struct sigaction> current = CurrentAction(signal);
  if (!current) return current.error();
  struct sigaction previous = current.value();
  if (IsOurs(previous, handler)) {
    // Somebody put ours back after we had left: what was there before is the default.
    previous = {};
  } else {
    chain.Set(previous);
  }
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int other : blocked) sigaddset(&action.sa_mask, other);
  if (sigaction(signal, &action, nullptr) != 0) {
    return Error::FromErrno("sigaction", strsignal(signal));
  }
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

void SignalAction::Uninstall() {
  if (signal_ == 0) return;
  const int signal = std::exchange(signal_, 0);
  struct sigaction current;
  if (sigaction(signal, nullptr, &current) != 0) return;
  if ((current.sa_flags & SA_SIGINFO) == 0 || current.sa_sigaction != handler_) return;
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(signal, &ignore, nullptr);
  sigaction(signal, &previous_, nullptr);
}

}  // namespace jprof
