// SignalAction: installs a signal handler and restores the previous action.
//
// Only for signals without a handler: our handlers have no handler to forward to, so that none of
// them calls another, whatever is installed over them. Uninstall follows the only order that is
// safe with signals in flight: every sender has stopped (the caller's duty); the action becomes
// SIG_IGN, which makes the kernel drop pending signals; then the previous action is restored. If
// another handler was installed over ours meanwhile, both steps are skipped: that handler may call
// ours, which ignores signals that we did not send.
//
// One thread at a time. Not async-signal-safe.
#pragma once

#include <csignal>
#include <initializer_list>
#include <string>

#include "base/result.h"

namespace jprof {

// The action of a signal as the kernel has it.
//
// libjsig, preloaded into a JVM, answers sigaction() for the JVM's signals from its own table, and
// changes that table only (jdk-17+35 src/java.base/unix/native/libjsig/jsig.c).
// These functions bypass libjsig.
//
// Thread-safe. Not async-signal-safe.

Result<struct sigaction> KernelAction(int signal);

// False if the action is no longer `expected`: an action set by others meanwhile stays.
Result<bool> ExchangeKernelAction(int signal, const struct sigaction& expected,
                                  const struct sigaction& action);

// Whether handler, flags and mask are equal.
bool IsSameAction(const struct sigaction& one, const struct sigaction& other);

// Path of the library that contains the handler, for messages.
std::string LibraryOf(const struct sigaction& action);

class SignalAction {
 public:
  using Handler = void (*)(int, siginfo_t*, void*);

  // Fails if the signal already has another handler; the error names its library.
  static Status CheckIsFree(int signal, Handler ours);

  // `blocked`: the other signals whose handlers must not interrupt this one. Fails as
  // CheckIsFree does.
  static Result<SignalAction> Install(int signal, Handler handler,
                                      std::initializer_list<int> blocked);

  SignalAction() = default;
  SignalAction(SignalAction&& other) noexcept;
  SignalAction& operator=(SignalAction&& other) noexcept;
  ~SignalAction() { Uninstall(); }

  // Fails if another handler was installed over this one; the error names its library.
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
