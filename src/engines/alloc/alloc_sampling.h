// AllocSampling: the policy of sampled objects. On the allocating thread.
#pragma once

#include <cstdint>

#include "engines/live/birth.h"
#include "sigsafe/sampling/sample_policy.h"

namespace jprof {

struct [[gnu::packed]] AllocPayload {
  static constexpr SampleKind kKind = SampleKind::kAlloc;

  uint64_t object_bytes;
  uint32_t class_number;     // SampledClasses; 0: an object of the agent's own, for its probes
  uint32_t thread_number;    // WatchedThreads: of a virtual thread's sample, its carrier's
  uint16_t interval_factor;  // of its gap (RateBound); 0: it stands for its object alone
  bool is_outside_tlab;
};

class AllocSampling : public WeighedSampling<AllocPayload> {
 public:
  // `weight`: the bytes that the object stands for. `birth`: nullptr: nothing asks for the stack.
  AllocSampling(uint64_t weight, const AllocPayload& payload, Birth* birth)
      : WeighedSampling(weight, payload), birth_(birth) {}

  void OnStored(ThreadSlot&, const Sample& sample) {
    if (birth_ != nullptr) birth_->OnStored(sample);
  }
  void OnOutside(ThreadSlot&) {
    if (birth_ != nullptr) birth_->OnOutside();
  }

 private:
  Birth* const birth_;
};

}  // namespace jprof
