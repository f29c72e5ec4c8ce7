// SampleKind: the kinds of samples that the profiler takes, and their table kSampleKinds.
// LostReason, LossSet: the reasons for which samples of a kind are lost.
//
// Generated from the tables sample_kinds.def and lost_reason.def.
//
// Async-signal-safe: constants.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jprof {

// The reason why a due sample could not be recorded with its stack.
enum class LostReason : uint8_t {
#define LOST_REASON(name, text) name,
#include "sigsafe/base/lost_reason.def"
#undef LOST_REASON
};

inline constexpr const char* kLostReasonText[] = {
#define LOST_REASON(name, text) text,
#include "sigsafe/base/lost_reason.def"
#undef LOST_REASON
};

inline constexpr size_t kLostReasonCount = sizeof kLostReasonText / sizeof kLostReasonText[0];

constexpr const char* LossText(LostReason reason) {
  return kLostReasonText[static_cast<size_t>(reason)];
}

// A set of reasons, as bits: 1 << LostReason. Each kind of samples has one (sample_kinds.def).
enum class LossSet : uint32_t {
  kWithoutWalk = 1U << static_cast<uint32_t>(LostReason::kStorageFull) |
                 1U << static_cast<uint32_t>(LostReason::kSamplesFull) |
                 1U << static_cast<uint32_t>(LostReason::kGuardRefused),
  kWalked = kWithoutWalk | 1U << static_cast<uint32_t>(LostReason::kNoWalkBuffer),
  kSignalled = kWalked | 1U << static_cast<uint32_t>(LostReason::kNoSignal),
};

constexpr bool Has(LossSet set, LostReason reason) {
  return (static_cast<uint32_t>(set) >> static_cast<uint32_t>(reason) & 1) != 0;
}

enum class SampleKind : uint8_t {
#define SAMPLE_KIND(Id, name, unit, payload_bytes, losses) k##Id,
#include "sigsafe/base/sample_kinds.def"
};

// The unit of a kind's weights, which are exact numbers. CPU time and elapsed time are nanoseconds,
// cut into whole intervals: the weights and losses of a thread add up to its CPU clock, or to its
// lifetime.
enum class WeightUnit : uint8_t { kCpuTime, kElapsedTime, kDuration, kBytes, kCount };

constexpr bool IsCutIntoIntervals(WeightUnit unit) {
  return unit == WeightUnit::kCpuTime || unit == WeightUnit::kElapsedTime;
}

struct SampleKindRow {
  SampleKind kind;
  const char* name;
  WeightUnit unit;
  uint32_t payload_bytes;
  LossSet losses;
};

inline constexpr SampleKindRow kSampleKinds[] = {
#define SAMPLE_KIND(Id, name, unit, payload_bytes, losses) \
  {SampleKind::k##Id, name, WeightUnit::unit, payload_bytes, LossSet::losses},
#include "sigsafe/base/sample_kinds.def"
};

inline constexpr size_t kSampleKindCount = sizeof kSampleKinds / sizeof kSampleKinds[0];

constexpr const SampleKindRow& RowOf(SampleKind kind) {
  return kSampleKinds[static_cast<size_t>(kind)];
}

// The number of kinds that are cut into intervals. They are the first rows: an array of them alone
// is indexed by kind as well.
inline constexpr size_t kIntervalKindCount = [] {
  size_t count = 0;
  for (const SampleKindRow& row : kSampleKinds) count += IsCutIntoIntervals(row.unit) ? 1 : 0;
  return count;
}();
static_assert([] {
  for (size_t i = 0; i < kIntervalKindCount; ++i) {
    if (!IsCutIntoIntervals(kSampleKinds[i].unit)) return false;
  }
  return true;
}());

}  // namespace jprof
