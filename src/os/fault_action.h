// FaultAction: a fault handler of ours (sigsafe/os/fault_handler.h) in front of the handlers of
// SIGSEGV and SIGBUS, so that guarded loads are guarded.
//
// It goes in under the same flags and signal mask as the handler that is there, which therefore
// runs as it always did, and in front of it even where libjsig keeps others behind the JVM's: the
// JVM must not take a fault of ours for one of a Java thread. Uninstall puts that handler back,
// unless somebody has come in front of ours: then ours stays and forwards.
//
// One thread at a time. Not async-signal-safe.
#pragma once

#include <utility>

#include "base/result.h"

namespace jprof {

class FaultAction {
 public:
  // Fails where nobody handles the signals yet (in a JVM somebody always does), and where so many
  // have come in front of ours that there is no place left.
  static Result<FaultAction> Install();

  FaultAction() = default;
  FaultAction(FaultAction&& other) noexcept
      : is_installed_(std::exchange(other.is_installed_, false)) {}
  FaultAction& operator=(FaultAction&& other) noexcept;
  ~FaultAction() { Uninstall(); }

  // Puts a handler of ours in front again where another one has come or come back. Fails as Install
  // does; then guarded loads may not be guarded.
  static Status MoveToFront();

  void Uninstall();

 private:
  bool is_installed_ = false;
};

}  // namespace jprof
