// WriteAllocation: a sampled object as events: the JDK's, and ours with the object's size and the
// standard error of its weight (docs/formats/jfr.md).
//
// The recorder's thread.
#pragma once

#include <cmath>
#include <cstdint>

#include "chunks/sample_sink.h"
#include "engines/live/birth.h"
#include "jfr/writer/jfr_writer.h"
#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample_policy.h"

namespace jprof {

// AllocSampling: the policy of sampled objects. On the allocating thread.
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

// ObjectWeight: the bytes that a sampled object stands for, and their standard error.
//
// The JVM draws the gaps between samples from an exponential distribution whose mean is the
// interval, so an object of S bytes is sampled with probability p = 1 - e^(-S/interval), and S/p is
// an unbiased estimate of the bytes of objects of its size. The estimate of its variance is
// S^2 (1-p) / p^2.
struct ObjectWeight {
  double bytes;           // S/p
  double standard_error;  // in bytes

  // REQUIRES: both > 0.
  static ObjectWeight Of(uint64_t object_bytes, int64_t interval_bytes) {
    JPROF_CHECK(object_bytes > 0 && interval_bytes > 0);
    const auto size = static_cast<double>(object_bytes);
    const double per_interval = size / static_cast<double>(interval_bytes);
    const double minus_p = std::expm1(-per_interval);  // -p; exp() would need glibc 2.29
    const double bytes = size / -minus_p;
    return {bytes, bytes * std::sqrt(1 + minus_p)};
  }
};

enum class AllocationEvents : bool { kSample, kTlabPair };

// Keys are of the open chunk, sizes in bytes.
struct Allocation {
  Nanos time_ns;
  uint32_t thread_key;
  uint32_t stack_key;
  uint32_t class_key;
  bool is_outside_tlab;
  uint16_t interval_factor;  // it stands for others at so many intervals; 0: for none
  uint64_t object_bytes;     // 0: a loss, of which no more than the weight is known
  uint64_t weight_bytes;
  uint64_t error_bytes;
};

// REQUIRES: a sample or a loss of the kind. `interval_bytes`: the shortest at which it may have
// been taken.
Allocation AllocationOf(const ResolvedSample& resolved, int64_t interval_bytes);

void WriteAllocation(const Allocation& allocation, AllocationEvents events, JfrWriter& writer);

}  // namespace jprof
