// From a sampled object to its events:
//
//   AllocSampling, ObjectWeight   its sample and weight, on the allocating thread
//   AllocationOf                  the sample as an Allocation, whose weight can still be scaled
//   WriteAllocation               its events: the JDK's, and ours with the object's size and the
//                                 standard error of its weight (docs/formats/jfr.md)
//
// The last two are called on the recorder's thread.
#pragma once

#include <cmath>
#include <cstdint>

#include "chunks/sample_events.h"
#include "engines/alloc/birth.h"
#include "jfr/writer/jfr_writer.h"
#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample_policy.h"

namespace jprof {

struct [[gnu::packed]] AllocPayload {
  static constexpr SampleKind kKind = SampleKind::kAlloc;

  uint64_t object_bytes;
  uint32_t class_number;     // number in SampledClasses; 0: an object of the agent, for its probes
  uint32_t thread_number;    // number in WatchedThreads; for a virtual thread, its carrier's
  uint16_t interval_factor;  // factor of its gap (RateBound); 0: it stands for its object alone
  bool is_outside_tlab;
};

// AllocSampling: the policy of samples of objects.
class AllocSampling : public WeighedSampling<AllocPayload> {
 public:
  // `weight`: the bytes that the object stands for. `birth`: gets the stack; nullptr: not needed.
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

  // Returns the weight of an object that is sampled at that interval. REQUIRES: both > 0.
  static ObjectWeight Of(uint64_t object_bytes, int64_t interval_bytes) {
    JPROF_CHECK(object_bytes > 0 && interval_bytes > 0);
    const auto size = static_cast<double>(object_bytes);
    const double per_interval = size / static_cast<double>(interval_bytes);
    const double minus_p = std::expm1(-per_interval);  // -p; exp() would need glibc 2.29
    const double bytes = size / -minus_p;
    return {bytes, bytes * std::sqrt(1 + minus_p)};
  }
};

// Returns a number of bytes as events state it. REQUIRES: bytes >= 0.
inline uint64_t RoundedBytes(double bytes) { return static_cast<uint64_t>(std::llround(bytes)); }

enum class AllocationEvents : bool { kSample, kTlabPair };

// A sampled object, or a loss. Keys are those of the open chunk.
struct Allocation {
  Nanos time_ns;
  uint32_t thread_key;
  uint32_t stack_key;
  uint32_t class_key;
  bool is_outside_tlab;
  uint16_t interval_factor;  // factor of its gap; 0: it stands for no other object
  uint64_t object_bytes;     // 0: a loss, only the weight of which is known
  uint64_t weight_bytes;
  uint64_t error_bytes;
};

// Returns the sample or loss as an Allocation. `interval_bytes`: the interval that its
// interval_factor multiplies. REQUIRES: it is of kind kAlloc.
Allocation AllocationOf(const ResolvedSample& resolved, int64_t interval_bytes);

void WriteAllocation(const Allocation& allocation, AllocationEvents events, JfrWriter& writer);

}  // namespace jprof
