// WallSampling: the policy of wall samples.
//
// While a sample is taken the wall clock's members of the record are this thread's; at its end the
// engine may go by them.
//
// Async-signal-safe, on the sampled thread.
#pragma once

#include <cstdint>
#include <optional>

#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/threads/thread_activity.h"

namespace jprof {

class WallSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kWall;

  // `activity`: ActivityAt(ucontext). `stack_pointer`: of the interrupted thread.
  WallSampling(uint32_t record_index, ThreadActivity activity, uint64_t stack_pointer)
      : SamplePolicy(record_index),
        signalled_activity_(activity),
        activity_(activity),
        stack_pointer_(stack_pointer) {}

  uint64_t WeightWithoutRecord() const;
  void Begin(ProfiledThread& thread);
  void End(ProfiledThread& thread);
  void OnWalked(const ProfiledThread& thread, const WalkEnvironment& environment,
                LoadFaults faults);
  void Account(ProfiledThread& thread, Sample* sample);
  void OnStored(ProfiledThread& thread, const Sample& sample) const;
  // A running thread whose CPU time is due as well: one walk, two samples. One that waits used that
  // time before, under another stack.
  void OnRecorded(ProfiledThread& thread, const WalkedStack& walked);

 private:
  const ThreadActivity signalled_activity_;  // by the registers alone
  ThreadActivity activity_;                  // refined, once the thread has been walked
  const uint64_t stack_pointer_;
};

// The index of the running thread's record, if the wall clock has signalled the thread and waits
// for its answer. For a signal that does not say so itself.
std::optional<uint32_t> RecordThatOwesAnAnswer();

// The elapsed time of an ending thread (RecordThreadEnd).
void RecordWallThreadEnd(ProfiledThread& thread);

}  // namespace jprof
