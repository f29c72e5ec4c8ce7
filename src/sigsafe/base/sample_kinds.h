// SampleKind: the kinds of samples that the profiler takes. Generated from the table.
//
// Async-signal-safe: constants.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jprof {

enum class SampleKind : uint8_t {
#define SAMPLE_KIND(Id, name, unit, payload_bytes) k##Id,
#include "sigsafe/base/sample_kinds.def"
};

// What the weights of a kind are exact numbers of. CPU time and elapsed time are nanoseconds, cut
// into whole intervals: weights and losses of a thread add up to its CPU clock, or its lifetime.
enum class WeightUnit : uint8_t { kCpuTime, kElapsedTime, kDuration, kBytes, kCount };

constexpr bool IsCutIntoIntervals(WeightUnit unit) {
  return unit == WeightUnit::kCpuTime || unit == WeightUnit::kElapsedTime;
}

struct SampleKindRow {
  SampleKind kind;
  const char* name;
  WeightUnit unit;
  uint32_t payload_bytes;
};

inline constexpr SampleKindRow kSampleKinds[] = {
#define SAMPLE_KIND(Id, name, unit, payload_bytes) \
  {SampleKind::k##Id, name, WeightUnit::unit, payload_bytes},
#include "sigsafe/base/sample_kinds.def"
};

inline constexpr size_t kSampleKindCount = sizeof kSampleKinds / sizeof kSampleKinds[0];

constexpr const SampleKindRow& RowOf(SampleKind kind) {
  return kSampleKinds[static_cast<size_t>(kind)];
}

}  // namespace jprof
