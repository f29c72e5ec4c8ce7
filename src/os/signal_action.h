// SignalAction: a signal handler of ours that can be put back.
//
// Only where nobody handles the signal: nobody is behind a handler of ours, so none of them calls
// another, whoever comes in front and whatever they call. Uninstall follows the only order that is
// safe with signals in flight: every sender has stopped (the caller's duty); the action becomes
// SIG_IGN, which makes the kernel drop what is pending; then the previous action returns. If
// somebody else has installed a handler over ours meanwhile, both steps are left out: theirs may
// call ours, which drops what it was not sent.
//
// One thread at a time. Not async-signal-safe.
#pragma once

#include <csignal>
#include <initializer_list>

#include "base/result.h"

namespace jprof {

class SignalAction {
 public:
  using Handler = void (*)(int, siginfo_t*, void*);

  // An Error that says whose handler it is when somebody else already handles the signal.
  static Status CheckIsFree(int signal, Handler ours);

  // `blocked`: the other signals whose handlers must not interrupt this one. Fails as
  // CheckIsFree does.
  static Result<SignalAction> Install(int signal, Handler handler,
                                      std::initializer_list<int> blocked);

  SignalAction() = default;
  SignalAction(SignalAction&& other) noexcept;
  SignalAction& operator=(SignalAction&& other) noexcept;
  ~SignalAction() { Uninstall(); }

  // An Error that says whose handler has come in front of this one, if any has.
  Status CheckIsInFront() const;

  void Uninstall();

 private:
  SignalAction(int signal, Handler handler, const struct sigaction& previous)
      : signal_(signal), handler_(handler), previous_(previous) {}

  int signal_ = 0;  // 0: nothing installed
  Handler handler_ = nullptr;
  struct sigaction previous_ = {};
};

}  // namespace jprof
