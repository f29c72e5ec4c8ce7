// WalkEnvironment: the data of VM and process that a handler needs to walk a stack. One immutable
// value behind one atomic pointer; a change publishes another value (stack/walk_environments).
//
// TheWalkEnvironment: Async-signal-safe, any thread. A published value is never freed nor changed,
// so a preempted handler may go on reading an old value. The old value may no longer be true of the
// process: code that relies on `faults`, or writes to a buffer, holds a WalkScope (walk_scope.h).
#pragma once

#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/native/native_code.h"
#include "sigsafe/os/guarded_load.h"
#include "sigsafe/stack/asgct_walker.h"
#include "sigsafe/stack/stack_mode.h"
#include "sigsafe/stack/walk_buffers.h"

namespace jprof {

struct WalkEnvironment {
  StackMode mode = StackMode::kAgct;
  // kCaught implies: the VM's frames can be walked by `vm`.
  LoadFaults faults = LoadFaults::kFatal;
  const HotspotLayout* vm = nullptr;        // nullptr: no JavaThread can be read
  const NativeCode* native_code = nullptr;  // REQUIRES: set where mode walks native frames
  AsgctFunction asgct = nullptr;            // nullptr: no AsyncGetCallTrace
  WalkBuffers* buffers = nullptr;           // nullptr: no walk is possible yet

  friend bool operator==(const WalkEnvironment&, const WalkEnvironment&) = default;

  // Whether Java threads are walked by VmCursor.
  bool walks_vm_frames() const { return mode != StackMode::kAgct && faults == LoadFaults::kCaught; }
};

const WalkEnvironment& TheWalkEnvironment();

// REQUIRES: `environment` lives as long as the process and never changes.
void UseWalkEnvironment(const WalkEnvironment* environment);

}  // namespace jprof
