// MethodSampling: the policy of slow calls. On the thread whose call has ended, in the probe.
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/sampling/sample_policy.h"

namespace jprof {

struct [[gnu::packed]] MethodPayload {
  static constexpr SampleKind kKind = SampleKind::kMethod;

  uint32_t number;  // TracedMethods
  Nanos start_ns;
  bool is_exception;
  uint32_t thrown_class;  // SampledClasses; 0: none
};

// Ids of frames (ProbeClass), 0 before there is a class.
struct ProbeFrames {
  uint64_t slow = 0;
  uint64_t end = 0;
};

class MethodSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kMethod;

  MethodSampling(uint64_t duration_ns, const MethodPayload& payload, const ProbeFrames& frames)
      : SamplePolicy(kCurrentThread),
        duration_ns_(duration_ns),
        payload_(payload),
        frames_(frames) {}

  uint64_t WeightWithoutRecord() const { return duration_ns_; }
  uint64_t WeightWithoutGuard(const ProfiledThread&) const { return duration_ns_; }

  // slow, end, exit or exception, and the method itself: stacks begin with its caller, as those of
  // the JDK do.
  uint32_t OwnFrames(const Stack& stack) const {
    constexpr uint32_t kFrames = 4;
    const bool is_known = stack.count > kFrames && stack.frames[0].id == frames_.slow &&
                          stack.frames[1].id == frames_.end;
    return is_known ? kFrames : 0;
  }

  void Account(ProfiledThread&, Sample* sample) const {
    sample->weight = duration_ns_;
    sample->SetPayload(payload_);
  }

 private:
  const uint64_t duration_ns_;
  const MethodPayload payload_;
  const ProbeFrames frames_;
};

}  // namespace jprof
