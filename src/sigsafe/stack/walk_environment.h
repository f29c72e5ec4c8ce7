// WalkEnvironment: all that a handler has to know of the VM and the process to walk a stack. One
// immutable value behind one atomic pointer; a change is another value (stack/walk_environments).
//
// TheWalkEnvironment: Async-signal-safe, any thread. A value that has been published is never freed
// nor changed, so a handler that was preempted with an old one may go on reading it. What the value
// says of the process may have ended meanwhile: whoever relies on `faults`, or writes to a buffer,
// holds a WalkScope (walk_scope.h).
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
  // kCaught: also, the VM's frames can be walked by `vm`.
  LoadFaults faults = LoadFaults::kFatal;
  const HotspotLayout* vm = nullptr;        // nullptr: no JavaThread can be looked into
  const NativeCode* native_code = nullptr;  // REQUIRES: set where mode walks native frames
  AsgctFunction asgct = nullptr;            // nullptr: there is no AsyncGetCallTrace
  WalkBuffers* buffers = nullptr;           // nullptr: nothing can be walked yet

  friend bool operator==(const WalkEnvironment&, const WalkEnvironment&) = default;

  // Whether Java threads are walked by VmCursor.
  bool walks_vm_frames() const { return mode != StackMode::kAgct && faults == LoadFaults::kCaught; }
};

const WalkEnvironment& TheWalkEnvironment();

// REQUIRES: `environment` lives as long as the process and never changes.
void UseWalkEnvironment(const WalkEnvironment* environment);

}  // namespace jprof
