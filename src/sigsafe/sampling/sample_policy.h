// SamplePolicy: what a kind says of a sample that is being taken (sample_taker.h). A kind derives
// its policy from this one, in a file of its own, and hides the members that it needs; nothing is
// virtual. A policy is an object for one sample. It supplies at least
//
//   static constexpr SampleKind kKind;
//   // Under the guard: sets the weight, and the payload if the kind has one. Weight 0: another
//   // sample stands for it already, there is nothing to record.
//   void Account(ProfiledThread& thread, Sample* sample);
//
// Async-signal-safe, on the sampled thread.
#pragma once

#include <cstdint>

#include "sigsafe/sampling/sample.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/threads/profiled_thread.h"

namespace jprof {

// In place of a record's index: the running thread, if it has a record.
inline constexpr uint32_t kCurrentThread = 0xffffffff;

// A stack, and the virtual thread that it belongs to.
struct WalkedStack {
  const WalkEnvironment* environment = nullptr;  // of the walk
  const Stack* stack = nullptr;                  // nullptr: there was no buffer to walk into
  int64_t virtual_thread = 0;                    // 0: none, the thread's own
};

class SamplePolicy {
 public:
  explicit SamplePolicy(uint32_t record_index) : record_index_(record_index) {}

  // Of the sampled thread.
  uint32_t record_index() const { return record_index_; }

  // What is lost where the thread has no record.
  uint64_t WeightWithoutRecord() const { return 0; }

  // What is lost where no guard can be had. What stays due is not: a later sample stands for it.
  uint64_t WeightWithoutGuard(const ProfiledThread&) const { return 0; }

  // False: no sample is to be taken now.
  bool Admit(ProfiledThread&) { return true; }

  // Before the walk, and as the last thing in the handler.
  void Begin(ProfiledThread&) {}
  void End(ProfiledThread&) {}

  // After End, with the time since Admit.
  void OnTimeSpent(Nanos /*elapsed_ns*/) {}

  // Frames in front of those that a walk finds; returns their number, at most `room`.
  uint32_t PushFrames(const ProfiledThread&, Frame*, uint32_t /*room*/) { return 0; }

  // Frames in front that are the profiler's own and are left out.
  uint32_t OwnFrames(const Stack&) { return 0; }

  // After the walk, before any guard is taken: the time for system calls and for loads of the VM's
  // memory. `faults`: of guarded loads on this thread, now.
  void OnWalked(const ProfiledThread&, const WalkEnvironment&, LoadFaults /*faults*/) {}

  // Under the guard: the sample has its stack, or kDroppedTrace.
  void OnStored(ProfiledThread&, const Sample&) {}

  // After the sample: another kind may have one of the same stack.
  void OnRecorded(ProfiledThread&, const WalkedStack&) {}

 private:
  const uint32_t record_index_;
};

}  // namespace jprof
