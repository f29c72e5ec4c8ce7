// VmWalking: our own stack walker at work, for a session: faults of guarded loads are caught, and
// the tables for native frames are kept up to date. Ten times a second it looks whether another
// handler has come in front, or one that was there before ours has come back, and goes in front of
// that. When it goes, no walk that relies on caught faults is left, and the handlers of SIGSEGV and
// SIGBUS are as they were.
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

  // Returns when there are tables for all code that is loaded now.
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
