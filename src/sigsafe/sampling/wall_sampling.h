// WallSampling: the policy of wall samples, and the functions that take them.
//
// The handler owns the wall members of the slot while it takes a sample; at its end they pass to
// the engine. Async-signal-safe, on the sampled thread.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class WallSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kWall;

  // `is_in_window` is that of the tick, which is earlier than the answer to its signal; `activity`
  // is ActivityAt(ucontext), `stack_pointer` that of the interrupted thread.
  WallSampling(bool is_in_window, ThreadActivity activity, uint64_t stack_pointer)
      : SamplePolicy(is_in_window),
        signalled_activity_(activity),
        activity_(activity),
        stack_pointer_(stack_pointer) {}

  uint64_t WeightWithoutSlot() const;
  void BeforeGuard(const ThreadSlot& thread, const WalkedStack& walked);
  void Account(ThreadSlot& thread, Sample* sample);
  void OnStored(ThreadSlot& thread, const Sample& sample) const;
  // Notes whether a later walk might find more frames. Takes a cpu sample of a running thread with
  // due CPU time: one walk, two samples. A waiting thread used that time earlier, with another
  // stack.
  void OnRecorded(ThreadSlot& thread, const WalkedStack& walked);

 private:
  const ThreadActivity signalled_activity_;  // activity by the registers only
  ThreadActivity activity_;                  // activity as refined after the walk
  const uint64_t stack_pointer_;
};

// Takes the sample of a signal, in the handler, and answers the signal, even if the sample is lost.
// The other parameters are the policy's.
void TakeWallSample(uint32_t slot_index, ThreadActivity activity, uint64_t stack_pointer,
                    void* ucontext);

// Returns the slot index of the running thread, if the wall clock has signalled the thread and
// waits for its answer. Used for signals without a cookie.
std::optional<uint32_t> UnansweredSlot();

// Accounts for the elapsed time of an ending thread (RecordThreadEnd).
void RecordWallThreadEnd(ThreadSlot& thread);

}  // namespace jprof
