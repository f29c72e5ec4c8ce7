// SamplePolicy: the part of taking a sample that differs between kinds (sample_taker.h). A kind
// derives its policy from this class, in a file of its own, and hides members; nothing is virtual.
// A policy object is of one sample. It supplies at least
//
//   static constexpr SampleKind kKind;
//   // Under the guard: sets the weight, and the payload if the kind has one. Weight 0: another
//   // sample stands for it already, there is nothing to record.
//   void Account(ThreadSlot& thread, Sample* sample);
//
// Async-signal-safe, on the sampled thread.
#pragma once

#include <cstdint>

#include "sigsafe/sampling/sample.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/stack/root_budget.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// In place of a slot's index: the slot of the running thread, if it has one.
inline constexpr uint32_t kCurrentThread = 0xffffffff;

// A stack, and its virtual thread.
struct WalkedStack {
  const WalkEnvironment* environment = nullptr;  // of the walk; nullptr: the VM is not read
  const Stack* stack = nullptr;                  // nullptr: there was no walk buffer
  int64_t virtual_thread = 0;                    // 0: the stack of the platform thread
  bool is_told = false;                          // the thread's: WalkTerms::is_told
  bool is_in_window = true;                      // false: the sample is counted, no more
};

class SamplePolicy {
 public:
  explicit SamplePolicy(uint32_t slot_index) : slot_index_(slot_index) {}

  // The slot of the sampled thread.
  uint32_t slot_index() const { return slot_index_; }

  // The lost weight if the thread has no slot.
  uint64_t WeightWithoutSlot() const { return 0; }

  // The lost weight if the guard is refused. 0 if the weight stays due for a later sample.
  uint64_t WeightWithoutGuard(const ThreadSlot&) const { return 0; }

  // Whether the sample is recorded. False: its weight is counted as outside of the windows.
  bool IsInWindow(const ThreadSlot&) const { return Sampling().window.IsOpen(); }

  // False: the sample is refused.
  bool Admit(ThreadSlot&) { return true; }

  // Called before the walk, and at the end of the handler.
  void Begin(ThreadSlot&) {}
  void End(ThreadSlot&) {}

  // After End, with the time since Admit.
  void OnTimeSpent(Nanos /*elapsed_ns*/) {}

  // Writes frames in front of those of the walk; returns their number, at most `room`.
  uint32_t PushFrames(const ThreadSlot&, Frame*, uint32_t /*room*/) { return 0; }

  // The frames that a walk of a synchronous sample takes in any case (stack/root_budget.h).
  // `virtual_thread`: the mounted one; 0: none.
  uint32_t LeafFrames(const ThreadSlot&, int64_t /*virtual_thread*/) const {
    return RootBudget::kLeafFrames;
  }

  // Frames in front that are the profiler's own and are left out.
  uint32_t OwnFrames(const Stack&) { return 0; }

  // After a walk, before the guard is taken: the place for loads of the VM's memory. `faults`: of
  // guarded loads on this thread.
  void OnWalked(const ThreadSlot&, const WalkEnvironment&, LoadFaults /*faults*/) {}

  // Before the guard is taken: the last place for system calls.
  void BeforeGuard(const ThreadSlot&) {}

  // Under the guard, in place of OnStored: the sample is not recorded.
  void OnOutside(ThreadSlot&) {}

  // Under the guard: the sample has its trace, or kDroppedCallTrace.
  void OnStored(ThreadSlot&, const Sample&) {}

  // After the sample: another kind may take a sample with the same stack.
  void OnRecorded(ThreadSlot&, const WalkedStack&) {}

 private:
  const uint32_t slot_index_;
};

}  // namespace jprof
