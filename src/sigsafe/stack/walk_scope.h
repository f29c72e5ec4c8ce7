// WalkScope: one walk's right to a buffer and to rely on the WalkEnvironment.
//
//   a walk                                  the withdrawal of a part (stack/vm_walking)
//   buffers = environment's    (seq_cst)    environment = one without it      (seq_cst)
//   claims one of them         (seq_cst)    waits until none of the buffers is claimed (seq_cst)
//   environment again          (seq_cst)    withdraws the part
//
// Either the claim is seen, or the second read sees the new environment. If the new environment has
// other buffers, the claim is given up: a valid claim is of the environment's own buffers.
//
// Async-signal-safe. An object of one handler or one synchronous walk.
#pragma once

#include "sigsafe/base/check.h"
#include "sigsafe/stack/walk_environment.h"

namespace jprof {

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

  // False: there is no buffer, and no walk is allowed.
  explicit operator bool() const { return environment_ != nullptr; }

  // REQUIRES: there is a buffer.
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
