// RecordingSummary: what a session recorded and what it lost. Taken = recorded + lost.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sigsafe/base/lost_reason.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"

namespace jprof {

// By kind, as reports count weights (SampleSettings::Reported).
struct RecordingSummary {
  std::array<uint64_t, kSampleKindCount> recorded{};
  std::array<std::array<uint64_t, kLostReasonCount>, kSampleKindCount> lost{};
  std::array<uint64_t, kSampleKindCount> lost_without_thread{};  // in no event: nobody to charge
  uint64_t unwritten_events = 0;                                 // write errors
  uint64_t unloaded_methods = 0;
  uint64_t changed_files = 0;  // given up because somebody else cut, removed or changed them,
  uint64_t removed_bytes = 0;  // and the bytes that were lost with them
  Nanos handler_ns = 0;        // elapsed time inside handlers,
  Nanos walk_ns = 0;           // and of it in stack walks
  std::string file;  // the one that is being written; another one with loop=, or if it was changed

  // Sums over the kinds that are counted in intervals: other units do not add up.
  uint64_t LostBy(LostReason reason) const;
  uint64_t LostWithoutThread() const;
  uint64_t TotalRecorded() const;
  uint64_t TotalLost() const;

  // Of one kind, for whatever reason.
  uint64_t LostOf(SampleKind kind) const;
};

}  // namespace jprof
