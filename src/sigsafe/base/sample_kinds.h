// SampleKind: the kinds of samples that the profiler takes; kSampleKinds is their table.
// LostReason, LossSet: the reasons for which samples of a kind can be lost.
// SampleLoss: a kind and one of its reasons, and the table kSampleLosses of all such pairs.
//
// Generated from the tables sample_kinds.def and lost_reason.def.
//
// Async-signal-safe: constants.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sigsafe/base/check.h"

namespace jprof {

// The reason why a sample that was due could not be recorded with its stack.
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

// A set of loss reasons, one bit each: 1 << LostReason. Each kind of samples has such a set
// (sample_kinds.def).
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

// The unit of a kind's weights. Weights are exact numbers. With kCpuTime and kElapsedTime, weights
// are in nanoseconds and consist of whole intervals. The recorded and the lost weights of a thread
// add up to the time on its CPU clock (kCpuTime) or to its lifetime (kElapsedTime).
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

// The number of kinds whose time is cut into intervals. These kinds are the first rows, so an array
// of only these kinds can be indexed by kind.
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

// A kind of samples, and a reason for which its samples can be lost.
struct SampleLoss {
  SampleKind kind;
  LostReason reason;
};

constexpr bool CanBeLost(SampleKind kind, LostReason reason) {
  return Has(RowOf(kind).losses, reason);
}

inline constexpr size_t kSampleLossCount = [] {
  int count = 0;
  for (const SampleKindRow& row : kSampleKinds) {
    count += std::popcount(static_cast<uint32_t>(row.losses));
  }
  return static_cast<size_t>(count);
}();

// All losses, sorted by kind and then by reason. Counters of losses are an array indexed by
// LossIndex.
inline constexpr auto kSampleLosses = [] {
  std::array<SampleLoss, kSampleLossCount> losses{};
  size_t count = 0;
  for (const SampleKindRow& row : kSampleKinds) {
    for (size_t i = 0; i < kLostReasonCount; ++i) {
      const auto reason = static_cast<LostReason>(i);
      if (Has(row.losses, reason)) losses[count++] = {row.kind, reason};
    }
  }
  return losses;
}();

inline constexpr auto kLossIndices = [] {
  std::array<std::array<uint8_t, kLostReasonCount>, kSampleKindCount> indices{};
  for (size_t i = 0; i < kSampleLossCount; ++i) {
    const auto [kind, reason] = kSampleLosses[i];
    indices[static_cast<size_t>(kind)][static_cast<size_t>(reason)] = static_cast<uint8_t>(i);
  }
  return indices;
}();

// Returns the index of the loss in kSampleLosses. REQUIRES: CanBeLost(kind, reason).
constexpr size_t LossIndex(SampleKind kind, LostReason reason) {
  JPROF_CHECK(CanBeLost(kind, reason));
  return kLossIndices[static_cast<size_t>(kind)][static_cast<size_t>(reason)];
}

}  // namespace jprof
