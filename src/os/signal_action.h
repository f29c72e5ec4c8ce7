// SignalAction installs a signal handler and restores the previous action.
//
// Install works only for signals without a handler. So our handlers have no handler to forward to,
// and cannot call each other in a circle, whatever is installed over them.
//
// Uninstall follows the only order that is safe with signals in flight. First, every sender must
// have stopped, which is the caller's duty. Then the action becomes SIG_IGN, which makes the kernel
// drop pending signals. Last, the previous action is restored. If another handler was installed
// over ours meanwhile, Uninstall changes nothing: the other handler might call ours, which ignores
// signals that we did not send.
//
// A SignalAction is used by one thread at a time; the functions outside the class are thread-safe.
// Nothing here is async-signal-safe.
#pragma once

#include <csignal>
#include <initializer_list>
#include <string>

#include "base/result.h"

namespace jprof {

// Returns the action of a signal as the kernel has it.
//
// KernelAction and ExchangeKernelAction bypass libjsig. When libjsig is preloaded into a JVM, it
// answers sigaction() for the JVM's signals from its own table, and changes only that table
// (jdk-17+35 src/java.base/unix/native/libjsig/jsig.c).
Result<struct sigaction> KernelAction(int signal);

// Replaces the action `expected` by `action`. If the current action is not `expected`, because
// another library has set it meanwhile, leaves that action in place and returns false.
Result<bool> ExchangeKernelAction(int signal, const struct sigaction& expected,
                                  const struct sigaction& action);

// True if handler, flags and mask are equal.
bool IsSameAction(const struct sigaction& one, const struct sigaction& other);

// Returns the path of the library that contains the handler, for messages.
std::string LibraryOf(const struct sigaction& action);

class SignalAction {
 public:
  using Handler = void (*)(int, siginfo_t*, void*);

  // Fails if the signal already has another handler; the error names its library.
  static Status CheckIsFree(int signal, Handler ours);

  // Installs the handler. `blocked` are the other signals whose handlers must not interrupt this
  // one. Fails as CheckIsFree does.
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

  int signal_ = 0;  // 0: no handler installed
  Handler handler_ = nullptr;
  struct sigaction previous_ = {};
};

}  // namespace jprof
