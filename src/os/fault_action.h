// FaultAction installs our fault handler (sigsafe/os/fault_handler.h) in front of the handlers of
// SIGSEGV and SIGBUS. Our handler handles the faults of guarded loads (sigsafe/os/guarded_load.h)
// and forwards all other faults.
//
// Our handler has the flags and the signal mask of the existing handler, which therefore runs as
// before. Our handler comes first even if libjsig chains other handlers after the JVM's, because
// the JVM must not mistake the fault of a guarded load for a fault of Java code. If no other
// handler was installed over ours, Uninstall restores the handler that existed before. Otherwise
// our handler stays, and forwards all faults.
//
// Used by one thread at a time. Not async-signal-safe.
#pragma once

#include <utility>

#include "base/result.h"

namespace jprof {

class FaultAction {
 public:
  // Installs our handler for both signals. Fails if a signal has no handler yet (in a JVM it always
  // has one), if its handler has SA_RESETHAND (the kernel would remove the handler after one
  // signal), or if too many handlers were installed over ours.
  static Result<FaultAction> Install();

  FaultAction() = default;
  FaultAction(FaultAction&& other) noexcept
      : is_installed_(std::exchange(other.is_installed_, false)) {}
  FaultAction& operator=(FaultAction&& other) noexcept;
  ~FaultAction() { Uninstall(); }

  // Puts our handler in front again after another handler was installed. Fails as Install does.
  // After a failure, the process might not survive the fault of a guarded load.
  static Status MoveToFront();

  void Uninstall();

 private:
  bool is_installed_ = false;
};

}  // namespace jprof
