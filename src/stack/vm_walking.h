// VmWalking: enables VmCursor while the sampler runs. Faults of guarded loads are caught, and the
// unwind tables of native code are kept up to date. Ten times a second it checks whether another
// handler was installed over ours, or an earlier handler was restored; if so, it installs ours on
// top. The destructor restores the handlers of SIGSEGV and SIGBUS once no walk relies on caught
// faults any more. If a walk still runs after 5 seconds, our handlers stay.
//
// Used by one thread at a time.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/fault_action.h"
#include "unwind/unwind_publisher.h"

namespace jprof {

class VmWalking {
 public:
  // Enables VmCursor. REQUIRES: the current WalkEnvironment has a layout by which frames can be
  // walked (HotspotReading::walk).
  static Result<std::unique_ptr<VmWalking>> Begin();

  ~VmWalking();

  // Updates the tables on the calling thread. Returns when all loaded code has tables.
  void AwaitTables() { UnwindPublisher::Update(); }

  // Returns the thread that updates the tables.
  Tid tid() const { return tables_->tid(); }

 private:
  explicit VmWalking(FaultAction faults) : faults_(std::move(faults)) {}

  // Puts our handlers in front of all others again. If this fails, gives up and turns VmCursor off.
  // Called on the thread that updates the tables.
  void MoveHandlersToFront();

  FaultAction faults_;
  bool is_given_up_ = false;  // set by MoveHandlersToFront
  std::unique_ptr<UnwindPublisher> tables_;
};

}  // namespace jprof
