// FaultAction: installs our fault handler (sigsafe/os/fault_handler.h) in front of the handlers of
// SIGSEGV and SIGBUS. Our handler handles the faults of guarded loads (sigsafe/os/guarded_load.h)
// and forwards all others.
//
// Our handler has the flags and the signal mask of the existing handler, which therefore runs as
// before. Ours comes first even if libjsig chains other handlers after the JVM's: the JVM must not
// mistake the fault of a guarded load for one of a Java thread. Uninstall restores the existing
// handler, unless another handler was installed over ours: then ours stays and forwards.
//
// Used by one thread at a time. Not async-signal-safe.
#pragma once

#include <utility>

#include "base/result.h"

namespace jprof {

class FaultAction {
 public:
  // Installs our handler for both signals. Fails if a signal has no handler yet (in a JVM it always
  // has one), if its handler is removed after one signal (SA_RESETHAND), or if too many handlers
  // were installed over ours.
  static Result<FaultAction> Install();

  FaultAction() = default;
  FaultAction(FaultAction&& other) noexcept
      : is_installed_(std::exchange(other.is_installed_, false)) {}
  FaultAction& operator=(FaultAction&& other) noexcept;
  ~FaultAction() { Uninstall(); }

  // Puts our handler in front again after another handler was installed. Fails as Install does;
  // then the process might not survive the fault of a guarded load.
  static Status MoveToFront();

  void Uninstall();

 private:
  bool is_installed_ = false;
};

}  // namespace jprof
