// WalkOutcome: why a Java thread's sample has no Java stack. Generated from the table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jprof {

enum class WalkOutcome : uint32_t {
#define WALK_OUTCOME(name, code, frame) name,
#include "sigsafe/stack/walk_outcome.def"
#undef WALK_OUTCOME
};

inline constexpr const char* kWalkOutcomeFrames[] = {
#define WALK_OUTCOME(name, code, frame) frame,
#include "sigsafe/stack/walk_outcome.def"
#undef WALK_OUTCOME
};

inline constexpr size_t kWalkOutcomeCount =
    sizeof kWalkOutcomeFrames / sizeof kWalkOutcomeFrames[0];

constexpr const char* FrameName(WalkOutcome outcome) {
  return kWalkOutcomeFrames[static_cast<size_t>(outcome)];
}

// The outcome for a num_frames <= 0 of AsyncGetCallTrace. Async-signal-safe.
constexpr WalkOutcome OutcomeOfCode(int32_t code) {
  switch (code) {
#define WALK_OUTCOME(name, number, frame) \
  case number:                            \
    return WalkOutcome::name;
#include "sigsafe/stack/walk_outcome.def"
#undef WALK_OUTCOME
    default:
      return WalkOutcome::kUnknownCode;
  }
}

}  // namespace jprof
