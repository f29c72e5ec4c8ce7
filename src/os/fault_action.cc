#include "os/fault_action.h"

#include <csignal>
#include <cstring>
#include <optional>
#include <string>

#include "os/signal_action.h"
#include "sigsafe/os/fault_handler.h"

namespace jprof {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS};
constexpr int kAttempts = 8;

// Returns the place (sigsafe/os/fault_handler.h) whose function is the handler in `action`; nullopt
// if that handler is not ours.
std::optional<size_t> PlaceOf(const struct sigaction& action) {
  if ((action.sa_flags & SA_SIGINFO) == 0) return std::nullopt;
  for (size_t place = 0; place < kFaultPlaces; ++place) {
    if (action.sa_sigaction == FaultHandlerAt(place)) return place;
  }
  return std::nullopt;
}

// Fails if our handler cannot forward to `action`. If `action` has no handler, the faulting
// instruction would run again and again. If `action` has SA_RESETHAND, our action would have this
// flag, too, and the kernel would remove our handler at the first fault of a guarded load.
Status CheckCanForwardTo(int signal, const struct sigaction& action) {
  const bool has_handler = (action.sa_flags & SA_SIGINFO) != 0 ||
                           (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
  const std::string name = strsignal(signal);
  if (!has_handler) return Error("no handler for " + name + " is installed in this process");
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) == 0) return {};
  return Error("the handler of " + name + ", of " + LibraryOf(action) +
               ", is for one signal only (SA_RESETHAND)");
}

// Returns a place that forwards to `behind`: an existing one if there is one, else a new one.
// Returns nullopt if a new one is needed and all places are taken.
std::optional<size_t> TakePlace(int signal, const struct sigaction& behind) {
  for (size_t place = 0; place < kFaultPlaces; ++place) {
    const struct sigaction* const taken = ForwardedAction(signal, place);
    if (taken == nullptr) TakeFaultPlace(signal, place, behind);
    if (taken == nullptr || IsSameAction(*taken, behind)) return place;
  }
  return std::nullopt;
}

Status InstallInFront(int signal) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Result<struct sigaction> current = KernelAction(signal);
    if (!current) return current.error();
    if (PlaceOf(current.value())) return {};  // ours, perhaps left there by an earlier Uninstall
    const Status possible = CheckCanForwardTo(signal, current.value());
    if (!possible) return possible;
    const std::optional<size_t> place = TakePlace(signal, current.value());
    if (!place) {
      return Error(std::to_string(kFaultPlaces) + " handlers have come in front of ours for " +
                   strsignal(signal) + ", the latest of " + LibraryOf(current.value()));
    }
    struct sigaction ours = current.value();
    ours.sa_sigaction = FaultHandlerAt(*place);
    ours.sa_flags |= SA_SIGINFO;
    const Result<bool> installed = ExchangeKernelAction(signal, current.value(), ours);
    if (!installed) return installed.error();
    if (installed.value()) return {};
  }
  return Error(std::string("the handler of ") + strsignal(signal) + " changes all the time");
}

// If our handler is in front, replaces it by the handler to which it forwards. Any of our places
// can be in front, because a library that uninstalls its own handler restores the handler that it
// had found.
void RestoreForwarded(int signal) {
  const Result<struct sigaction> current = KernelAction(signal);
  if (!current) return;
  const std::optional<size_t> place = PlaceOf(current.value());
  if (!place) return;
  static_cast<void>(
      ExchangeKernelAction(signal, current.value(), *ForwardedAction(signal, *place)));
}

}  // namespace

Result<FaultAction> FaultAction::Install() {
  FaultAction action;
  action.is_installed_ = true;
  const Status in_front = MoveToFront();
  if (!in_front) return in_front.error();
  return action;
}

Status FaultAction::MoveToFront() {
  for (const int signal : kSignals) {
    const Status in_front = InstallInFront(signal);
    if (!in_front) return in_front;
  }
  return {};
}

FaultAction& FaultAction::operator=(FaultAction&& other) noexcept {
  if (this != &other) {
    Uninstall();
    is_installed_ = std::exchange(other.is_installed_, false);
  }
  return *this;
}

void FaultAction::Uninstall() {
  if (!std::exchange(is_installed_, false)) return;
  for (const int signal : kSignals) RestoreForwarded(signal);
}

}  // namespace jprof
