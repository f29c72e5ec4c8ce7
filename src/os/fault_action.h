// FaultAction: FaultHandler in front of the handlers of SIGSEGV and SIGBUS, so that guarded loads
// are guarded.
//
// It goes in under the same flags and signal mask as the handler that is there, which therefore
// runs as it always did. Uninstall puts that one back, unless somebody has come in front of ours:
// then ours stays and forwards.
//
// One thread at a time. Not async-signal-safe.
#pragma once

#include <csignal>
#include <vector>

#include "base/result.h"

namespace jprof {

class FaultAction {
 public:
  // Fails where nobody handles the signals yet: in a JVM somebody always does.
  static Result<FaultAction> Install();

  FaultAction() = default;
  FaultAction(FaultAction&& other) noexcept : installed_(std::move(other.installed_)) {
    other.installed_.clear();
  }
  FaultAction& operator=(FaultAction&& other) noexcept;
  ~FaultAction() { Uninstall(); }

  void Uninstall();

 private:
  struct Installed {
    int signal;
    struct sigaction previous;
  };

  Status Add(int signal);

  std::vector<Installed> installed_;
};

}  // namespace jprof
