#include "os/signal_action.h"

#include <cstring>
#include <string>
#include <utility>

namespace jprof {
namespace {

bool IsDefaultOrIgnored(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 &&
         (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN);
}

}  // namespace

Result<SignalAction> SignalAction::Install(int signal, Handler handler, ChainedHandler& chain,
                                           std::initializer_list<int> blocked) {
  struct sigaction previous;
  if (sigaction(signal, nullptr, &previous) != 0) {
    return Error::FromErrno("sigaction", strsignal(signal));
  }
  const bool still_ours = (previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction == handler;
  if (!still_ours && !IsDefaultOrIgnored(previous)) {
    return Error("signal " + std::to_string(signal) + " (" + strsignal(signal) +
                 ") already has a handler: another profiler is at work; stop it first");
  }
  if (still_ours) {
    previous = {};  // somebody put ours back after we had left: what was there before is the default
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
