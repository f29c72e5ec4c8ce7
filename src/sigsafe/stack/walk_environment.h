// WalkEnvironment: the data about the VM and the process that a handler needs to walk a stack.
// WalkScope: gives a walk a buffer, and keeps the WalkEnvironment valid during the walk.
//
// The WalkEnvironment is one immutable value behind one atomic pointer; a change publishes another
// value (walking/walk_environments.h).
//
// TheWalkEnvironment is async-signal-safe, on any thread. A published value is never freed or
// changed, so a preempted handler can continue to read an old value. But what an old value says
// might no longer hold, so code that relies on `faults`, or writes to a buffer, must have a
// WalkScope.
#pragma once

#include "sigsafe/base/check.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/native/native_code.h"
#include "sigsafe/os/guarded_load.h"
#include "sigsafe/stack/asgct_walker.h"
#include "sigsafe/stack/walk_buffers.h"
#include "sigsafe/stack/walk_context.h"

namespace jprof {

struct WalkEnvironment {
  StackMode mode = StackMode::kAgct;
  // kCaught implies that the VM's frames can be walked by `vm`.
  LoadFaults faults = LoadFaults::kFatal;
  const HotspotLayout* vm = nullptr;        // nullptr if no JavaThread can be read
  const NativeCode* native_code = nullptr;  // set if `mode` walks native frames
  AsgctFunction asgct = nullptr;            // nullptr if libjvm has no AsyncGetCallTrace
  WalkBuffers* buffers = nullptr;           // nullptr if no walk is possible yet

  friend bool operator==(const WalkEnvironment&, const WalkEnvironment&) = default;

  // True if Java threads are walked by VmCursor.
  bool walks_vm_frames() const { return mode != StackMode::kAgct && faults == LoadFaults::kCaught; }
};

const WalkEnvironment& TheWalkEnvironment();

// Publishes an environment. REQUIRES: `environment` lives as long as the process and never changes.
void UseWalkEnvironment(const WalkEnvironment* environment);

// Holds a buffer for one walk. While the buffer is held, no part of the WalkEnvironment (such as
// the handler that catches faults) is withdrawn.
//
//   a walk                                  the withdrawal of a part (walking/walking.h)
//   loads the environment      (seq_cst)    stores an environment without the part     (seq_cst)
//   claims one of its buffers  (seq_cst)    waits until none of the buffers is claimed (seq_cst)
//   loads the environment      (seq_cst)    withdraws the part
//
// In the total order of these operations, either the claim comes before the wait, and the
// withdrawal waits for the walk, or the walk's second load gets the new environment. If the new
// environment has other buffers, the walk gives up its claim, so that it only holds a buffer of its
// own environment.
//
// Async-signal-safe. One object for each handler or synchronous walk.
class WalkScope {
 public:
  WalkScope() {
    WalkBuffers* const buffers = TheWalkEnvironment().buffers;
    if (buffers == nullptr || !buffers->Claim(&buffer_)) return;
    const WalkEnvironment& environment = TheWalkEnvironment();
    if (environment.buffers == buffers) {
      environment_ = &environment;
    } else {
      buffers->Release(buffer_);
    }
  }
  ~WalkScope() {
    if (environment_ != nullptr) environment_->buffers->Release(buffer_);
  }
  WalkScope(const WalkScope&) = delete;
  WalkScope& operator=(const WalkScope&) = delete;

  // False if the scope holds no buffer: then no walk is allowed.
  explicit operator bool() const { return environment_ != nullptr; }

  // environment() and buffer() return the walk's environment and buffer. REQUIRES: the scope holds
  // a buffer.
  const WalkEnvironment& environment() const {
    JPROF_CHECK(environment_ != nullptr);
    return *environment_;
  }
  const WalkBuffer& buffer() const {
    JPROF_CHECK(environment_ != nullptr);
    return buffer_;
  }

 private:
  const WalkEnvironment* environment_ = nullptr;
  WalkBuffer buffer_{};
};

}  // namespace jprof
