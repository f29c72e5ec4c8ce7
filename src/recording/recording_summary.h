// RecordingSummary: what a session recorded and what it lost. Taken = recorded + lost.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sigsafe/base/lost_reason.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

// Weights are intervals: of CPU time, or of elapsed time.
struct RecordingSummary {
  std::array<uint64_t, kSampleKindCount> recorded{};
  std::array<std::array<uint64_t, kLostReasonCount>, kSampleKindCount> lost{};
  std::array<uint64_t, kSampleKindCount> lost_without_thread{};  // in no event: nobody to charge
  uint64_t unwritten_events = 0;                                 // write errors
  uint64_t unloaded_methods = 0;
  uint64_t changed_files = 0;  // given up because somebody else cut, removed or changed them,
  uint64_t removed_bytes = 0;  // and what was lost with them
  Nanos handler_ns = 0;        // elapsed time inside handlers,
  Nanos walk_ns = 0;           // and of it in stack walks
  std::string file;  // the one that is being written; another one with loop=, or if it was changed

  // Over both kinds of samples.
  uint64_t LostBy(LostReason reason) const;
  uint64_t LostWithoutThread() const;

  uint64_t TotalRecorded() const;
  uint64_t TotalLost() const;
};

}  // namespace jprof
