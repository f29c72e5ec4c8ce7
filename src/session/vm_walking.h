// VmWalking: our own stack walker at work, for a session: the VM's layout is in use and faults of
// guarded loads are caught. When it goes, no walk that found the layout is left, and the handlers
// of SIGSEGV and SIGBUS are as they were.
//
// One thread at a time.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/fault_action.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

class VmWalking {
 public:
  // REQUIRES: `layout` lives as long as the process.
  static Result<std::unique_ptr<VmWalking>> Begin(const HotspotLayout& layout);

  ~VmWalking();

 private:
  explicit VmWalking(FaultAction faults) : faults_(std::move(faults)) {}

  FaultAction faults_;
};

}  // namespace jprof
