// SampleLoss: a kind of samples, and a reason for which its samples can be lost. kSampleLosses has
// all such pairs of the table of kinds; counters for them are an array indexed by LossIndex.
//
// Async-signal-safe: constants.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/base/sample_kinds.h"

namespace jprof {

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

// All losses, by kind, then by reason.
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
