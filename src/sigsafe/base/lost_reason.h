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

constexpr const char* Text(LostReason reason) {
  return kLostReasonText[static_cast<size_t>(reason)];
}

}  // namespace jprof
