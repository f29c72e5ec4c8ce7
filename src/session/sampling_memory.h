// SamplingMemory: owns what one session shares with its handlers, and takes it back safely.
//
// Built, activated and destroyed by the session. Handlers see the state from Activate on;
// Deactivate returns when no handler can touch it any more.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/pages.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_records.h"

namespace jprof {

class SamplingMemory {
 public:
  struct Plan {
    uint32_t session;        // > 0, another one each time
    Nanos wall_interval_ns;  // 0: not sampled
    uint32_t max_depth;      // frames kept per stack
  };

  static Result<std::unique_ptr<SamplingMemory>> Reserve(const Plan& plan);

  // REQUIRES: not active, or Deactivate was called.
  ~SamplingMemory() = default;

  SamplingState& state() { return state_; }

  void Activate();

  // Waits for as long as a handler of any of `records` is inside: a thread that the kernel does not
  // let run keeps us waiting, never reading freed memory.
  void Deactivate(ThreadRecords& records);

 private:
  SamplingMemory(const Plan& plan, Pages slots, Pages arena, Pages ring);

  const Pages slots_;
  const Pages arena_;
  const Pages ring_;
  SamplingState state_;
};

}  // namespace jprof
