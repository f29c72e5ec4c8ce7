// LostReason: why a due sample could not be recorded with its stack. Generated from the table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jprof {

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

// A set of reasons, as bits: 1 << LostReason. The kinds of samples name theirs (sample_kinds.def).
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

}  // namespace jprof
