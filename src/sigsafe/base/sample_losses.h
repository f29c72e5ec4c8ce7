// SampleLoss: a kind of samples, and a reason by which its samples can be lost. kSampleLosses: all
// that there are, by the table of kinds; a counter for each is an array with an index by LossIndex.
//
// Async-signal-safe: constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/base/lost_reason.h"
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
  size_t count = 0;
  for (const SampleKindRow& row : kSampleKinds) {
    for (size_t reason = 0; reason < kLostReasonCount; ++reason) {
      count += CanBeLost(row.kind, static_cast<LostReason>(reason)) ? 1 : 0;
    }
  }
  return count;
}();

inline constexpr std::array<SampleLoss, kSampleLossCount> kSampleLosses = [] {
  std::array<SampleLoss, kSampleLossCount> losses{};
  size_t count = 0;
  for (const SampleKindRow& row : kSampleKinds) {
    for (size_t reason = 0; reason < kLostReasonCount; ++reason) {
      const SampleLoss loss{row.kind, static_cast<LostReason>(reason)};
      if (CanBeLost(loss.kind, loss.reason)) losses[count++] = loss;
    }
  }
  return losses;
}();

namespace sample_losses {

// By kind and reason; a pair that is no SampleLoss has an index beyond the last one.
inline constexpr auto kIndices = [] {
  std::array<std::array<uint8_t, kLostReasonCount>, kSampleKindCount> indices{};
  for (auto& of_kind : indices) of_kind.fill(UINT8_MAX);
  for (size_t i = 0; i < kSampleLossCount; ++i) {
    const SampleLoss& loss = kSampleLosses[i];
    indices[static_cast<size_t>(loss.kind)][static_cast<size_t>(loss.reason)] =
        static_cast<uint8_t>(i);
  }
  return indices;
}();
static_assert(kSampleLossCount < UINT8_MAX);

}  // namespace sample_losses

// REQUIRES: CanBeLost(kind, reason).
constexpr size_t LossIndex(SampleKind kind, LostReason reason) {
  JPROF_CHECK(CanBeLost(kind, reason));
  return sample_losses::kIndices[static_cast<size_t>(kind)][static_cast<size_t>(reason)];
}

}  // namespace jprof
