// FaultAction: installs our fault handler (sigsafe/os/fault_handler.h) in front of the handlers of
// SIGSEGV and SIGBUS, so that guarded loads are guarded.
//
// Our handler takes over the flags and the signal mask of the existing handler, which therefore
// runs as before. Ours comes first even if libjsig chains other handlers after the JVM's: the JVM
// must not mistake our fault for a fault of a Java thread. Uninstall restores the existing handler,
// unless another handler was installed over ours: then ours stays and forwards.
//
// Used by one thread at a time. Not async-signal-safe.
#pragma once

#include <utility>

#include "base/result.h"

namespace jprof {

class FaultAction {
 public:
  // Installs our handler for both signals. Fails if a signal has no handler yet (in a JVM it always
  // has one), or one for one signal only (SA_RESETHAND), or if too many handlers were installed
  // over ours.
  static Result<FaultAction> Install();

  FaultAction() = default;
  FaultAction(FaultAction&& other) noexcept
      : is_installed_(std::exchange(other.is_installed_, false)) {}
  FaultAction& operator=(FaultAction&& other) noexcept;
  ~FaultAction() { Uninstall(); }

  // Puts our handler in front again after another handler was installed. Fails as Install does;
  // then guarded loads might not be guarded.
  static Status MoveToFront();

  void Uninstall();

 private:
  bool is_installed_ = false;
};

}  // namespace jprof
