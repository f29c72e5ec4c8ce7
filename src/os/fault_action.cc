#include "os/fault_action.h"

#include <cstring>
#include <utility>

#include "sigsafe/os/fault_handler.h"

namespace jprof {
namespace {

bool IsOurs(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == FaultHandler;
}

bool HasHandler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

}  // namespace

Result<FaultAction> FaultAction::Install() {
  FaultAction action;
  for (const int signal : {SIGSEGV, SIGBUS}) {
    const Status added = action.Add(signal);
    if (!added) return added.error();
  }
  return action;
}

Status FaultAction::Add(int signal) {
  struct sigaction current;
  if (sigaction(signal, nullptr, &current) != 0) {
    return Error::FromErrno("sigaction", strsignal(signal));
  }
  if (IsOurs(current)) return {};  // left there once because somebody had come in front of it
  if (!HasHandler(current)) {
    return Error(std::string("nobody handles ") + strsignal(signal) + " in this process");
  }
  FaultChain(signal).Set(current);
  struct sigaction ours = current;
  ours.sa_sigaction = FaultHandler;
  ours.sa_flags |= SA_SIGINFO;
  if (sigaction(signal, &ours, nullptr) != 0) {
    return Error::FromErrno("sigaction", strsignal(signal));
  }
  installed_.push_back({signal, current});
  return {};
}

FaultAction& FaultAction::operator=(FaultAction&& other) noexcept {
  if (this != &other) {
    Uninstall();
    installed_ = std::exchange(other.installed_, {});
  }
  return *this;
}

void FaultAction::Uninstall() {
  for (const Installed& one : std::exchange(installed_, {})) {
    struct sigaction current;
    if (sigaction(one.signal, nullptr, &current) != 0 || !IsOurs(current)) continue;
    sigaction(one.signal, &one.previous, nullptr);
  }
}

}  // namespace jprof
