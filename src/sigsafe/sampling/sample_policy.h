// A SamplePolicy is the part of taking a sample that differs between kinds (sample_taker.h).
//
// Each kind derives its policy from this class, in a file of its own. A policy replaces members of
// the class by hiding them; nothing is virtual. A policy object serves one sample. Each policy
// supplies at least
//
//   static constexpr SampleKind kKind;
//   // Sets the weight, and the payload if the kind has one. If the weight is 0, because other
//   // samples already stand for all the time, nothing is recorded. Called under the guard of the
//   // table of stacks (CallTraceStorage).
//   void Account(ThreadSlot& thread, Sample* sample);
//
// `thread` is the slot of the taker. Async-signal-safe, on the taker.
#pragma once

#include <cstdint>

#include "sigsafe/sampling/sample.h"
#include "sigsafe/sampling/sample_source.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// A walked stack, and the thread that its sample belongs to.
struct WalkedStack {
  // The environment of the walk; nullptr if the VM must not be read.
  const WalkEnvironment* environment = nullptr;
  const Stack* stack = nullptr;  // nullptr if there was no walk buffer
  int64_t virtual_thread = 0;    // id of the virtual thread whose stack it is; 0 if none
  Subject subject = Subject::Taker();
  bool is_in_window = true;                // false if the sample is only counted
  LoadFaults faults = LoadFaults::kFatal;  // kCaught if guarded loads may be used now
};

class SamplePolicy {
 public:
  explicit SamplePolicy(bool is_in_window = Sampling().window.IsOpen())
      : is_in_window_(is_in_window) {}

  // True if the sample is recorded; false if only its weight is counted, as outside of the windows
  // (SampleWindow).
  bool is_in_window() const { return is_in_window_; }

  // Returns the weight that is lost if the thread has no slot.
  uint64_t WeightWithoutSlot() const { return 0; }

  // Returns the weight that is lost if the guard is refused; 0 if a later sample accounts for that
  // weight.
  uint64_t WeightWithoutGuard(const ThreadSlot&) const { return 0; }

  // Returns the number of leading frames that are the profiler's own code and are left out.
  uint32_t OwnFrames(const Stack&) { return 0; }

  // Called before the guard is taken. After this call a policy must not make system calls, nor load
  // from the VM's memory.
  void BeforeGuard(const ThreadSlot&, const WalkedStack&) {}

  // Called under the guard, in place of OnStored, if the sample is outside of the windows.
  void OnOutside(ThreadSlot&) {}

  // Called under the guard, after the sample has been pushed or lost. The member `trace` of the
  // sample is set, perhaps to kDroppedCallTrace.
  void OnStored(ThreadSlot&, const Sample&) {}

  // Called at the end if there was a walk: another kind can now take a sample with the same stack.
  void OnRecorded(ThreadSlot&, const WalkedStack&) {}

 private:
  const bool is_in_window_;
};

// The policy of samples whose weight is known before they are taken. P is the payload of the kind.
template <typename P>
class WeighedSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = P::kKind;

  WeighedSampling(uint64_t weight, const P& payload) : weight_(weight), payload_(payload) {}

  uint64_t WeightWithoutSlot() const { return weight_; }
  uint64_t WeightWithoutGuard(const ThreadSlot&) const { return weight_; }
  void Account(ThreadSlot&, Sample* sample) const {
    sample->weight = weight_;
    sample->SetPayload(payload_);
  }

 private:
  const uint64_t weight_;
  const P payload_;
};

}  // namespace jprof
