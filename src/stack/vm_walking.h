// VmWalking: enables VmCursor while the sampler runs: faults of guarded loads are caught, and the
// unwind tables of native code are kept up to date. Ten times a second it checks whether another
// handler was installed over ours, or an earlier handler was restored, and installs ours on top.
// After its destruction no walk relies on caught faults, and the handlers of SIGSEGV and SIGBUS are
// restored.
//
// One thread at a time.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/fault_action.h"
#include "unwind/unwind_publisher.h"

namespace jprof {

class VmWalking {
 public:
  // REQUIRES: frames can be walked by the layout of the WalkEnvironment (HotspotReading::walk).
  static Result<std::unique_ptr<VmWalking>> Begin();

  ~VmWalking();

  // Returns when all loaded code has tables.
  void AwaitTables() { UnwindPublisher::Update(); }

  // The thread that keeps the tables.
  Tid tid() const { return tables_->tid(); }

 private:
  explicit VmWalking(FaultAction faults) : faults_(std::move(faults)) {}

  // On the thread that keeps the tables.
  void StayInFront();

  FaultAction faults_;
  bool is_given_up_ = false;  // by StayInFront
  std::unique_ptr<UnwindPublisher> tables_;
};

}  // namespace jprof
