// RecordingSummary: what a session recorded and what it lost. Taken = recorded + lost.
#pragma once

#include <array>
#include <cstdint>

#include "sigsafe/base/lost_reason.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

// Weights are intervals: of CPU time, or of elapsed time.
struct RecordingSummary {
  std::array<uint64_t, kSampleKindCount> recorded{};
  std::array<uint64_t, kLostReasonCount> lost{};
  uint64_t lost_without_thread = 0;  // in no event: nobody to charge
  uint64_t unwritten_events = 0;     // write errors
  uint64_t unloaded_methods = 0;

  uint64_t TotalRecorded() const;
  uint64_t TotalLost() const;
};

}  // namespace jprof
