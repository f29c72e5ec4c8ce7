// TakeStack stores the stack of the running thread without a sample. It does the parts of
// TakeSample (sample_taker.h) that concern the stack: the walk, the guard, Put. The id of the stack
// can then be a part of another thread's sample.
//
// Async-signal-safe, on the thread whose stack is taken: in handlers, and in synchronous callers.
#pragma once

#include <cstdint>

#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/sampling/sample_source.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/stack/walk_environment.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// Says how a request for a stack was answered.
enum class StackOutcome : uint8_t {
  kNotSampling,  // no table is active, or its guard was refused
  kStored,
  kNoWalkBuffer,  // all buffers for walks were taken
  kStorageFull,   // the table of stacks has no room
};

struct TakenStack {
  StackOutcome outcome = StackOutcome::kNotSampling;
  CallTraceId trace = kNoCallTrace;  // id of the stored stack
  int64_t virtual_thread = 0;        // id of the virtual thread whose stack it is; 0 if none
  Nanos time_ns = 0;                 // time at which the stack was taken (CLOCK_MONOTONIC)
};

// Takes the stack of the running thread, whose slot is `taker`, and leaves out the innermost
// `own_frames` frames. Calls publish(taken) under the guard of the table in which the stack is
// stored; if no stack is stored, calls it without a guard. A rotation of the tables waits for the
// guard, so code that runs after the rotation sees what `publish` has written.
template <typename Source, typename Publish>
void TakeStack(ThreadSlot& taker, const Source& source, uint32_t own_frames, Publish&& publish) {
  TakenStack taken;
  if (!Sampling().traces.active()) {
    publish(taken);
    return;
  }
  TimeInHandler time(taker);
  {
    const WalkScope scope;
    SampledWalk walk;
    if (scope) {
      walk = source.Walk(scope.environment(), taker, Subject::Taker(), scope.buffer());
      time.AddWalk();
    }
    const CallTraceStorage::Guard table = Sampling().traces.Enter(taker.guards);
    if (!scope) taken.outcome = StackOutcome::kNoWalkBuffer;
    if (scope && table) {
      const bool has_callers = walk.stack.count > own_frames;
      walk.stack.MoveBegin(has_callers ? static_cast<int32_t>(own_frames) : 0);
      taken.time_ns = MonotonicNanos();
      taken.trace = table->Put(walk.stack);
      taken.outcome =
          taken.trace == kDroppedCallTrace ? StackOutcome::kStorageFull : StackOutcome::kStored;
      taken.virtual_thread = walk.stack.reaches_entry ? 0 : walk.mounted;
      if (taken.virtual_thread != 0) {
        WalkedStack walked;
        walked.environment = &scope.environment();
        sample_taker::PublishName(taker, walked, taken.virtual_thread);
      }
    }
    publish(taken);
  }
  time.End();
}

}  // namespace jprof
