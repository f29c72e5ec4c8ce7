// WallSampling is the policy of wall samples. The functions below take such samples.
//
// While the handler takes a sample, the handler owns the members of the slot for wall samples. At
// its end, the handler hands these members over to the engine. Async-signal-safe, on the sampled
// thread.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class WallSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kWall;

  // `is_in_window` is the result of HasWallTicksInWindows; `activity` is ActivityAt(ucontext);
  // `stack_pointer` is that of the interrupted code.
  WallSampling(bool is_in_window, ThreadActivity activity, uint64_t stack_pointer)
      : SamplePolicy(is_in_window),
        signalled_activity_(activity),
        activity_(activity),
        stack_pointer_(stack_pointer) {}

  uint64_t WeightWithoutSlot() const;
  void BeforeGuard(const ThreadSlot& thread, const WalkedStack& walked);
  void Account(ThreadSlot& thread, Sample* sample);
  void OnStored(ThreadSlot& thread, const Sample& sample) const;
  // Stores in the slot whether a later walk might find more frames. If the thread was running,
  // takes a cpu sample with the same stack for CPU time that is due. A waiting thread gets no such
  // sample, because it used that CPU time earlier, with another stack.
  void OnRecorded(ThreadSlot& thread, const WalkedStack& walked);

 private:
  const ThreadActivity signalled_activity_;  // result of ActivityAt
  ThreadActivity activity_;                  // result of Refined, after the walk
  const uint64_t stack_pointer_;
};

// Takes the sample for which a signal was sent, and answers the signal
// (ThreadSlot::wall_answer_ns), even if the sample is lost. Called in the handler. `slot_index` is
// the index in the signal. `activity` and `stack_pointer` are as in the constructor of
// WallSampling.
void TakeWallSample(uint32_t slot_index, ThreadActivity activity, uint64_t stack_pointer,
                    void* ucontext);

// Returns the slot index of the running thread, if the wall engine has signalled it and waits for
// its answer. Used for signals that have lost their cookie (signal_target.h).
std::optional<uint32_t> UnansweredSlot();

// Takes the last wall sample of an ending thread (RecordThreadEnd).
void RecordWallThreadEnd(ThreadSlot& thread);

}  // namespace jprof
