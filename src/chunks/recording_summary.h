// RecordingSummary: the numbers of recorded and lost samples of a recording. Each sample that was
// due is either recorded, lost, or outside of the windows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample_window.h"

namespace jprof {

// The arrays are indexed by kind. They hold weights, in the units of reports
// (SampleSettings::Reported), unless a comment says that they count samples.
struct RecordingSummary {
  std::array<uint64_t, kSampleKindCount> recorded{};
  std::array<std::array<uint64_t, kLostReasonCount>, kSampleKindCount> lost{};
  // Lost weight whose thread is unknown; in no event.
  std::array<uint64_t, kSampleKindCount> lost_without_thread{};
  // Weight outside the windows: neither recorded nor lost.
  std::array<uint64_t, kSampleKindCount> outside{};
  // The number of samples, not their weight, whose stack was too deep to be walked to its root.
  std::array<uint64_t, kSampleKindCount> without_root{};
  // The weight (with_gaps) and the number (samples_with_gaps) of the recorded samples whose stack
  // has a gap: callers or the names of methods are missing (StackConstants::HasGap).
  std::array<uint64_t, kSampleKindCount> with_gaps{};
  std::array<uint64_t, kSampleKindCount> samples_with_gaps{};
  std::optional<SampleWindow::Counts> windows;  // set if samples are recorded in windows only
  uint64_t unwritten_events = 0;                // events dropped because of write errors
  uint64_t unloaded_methods = 0;
  uint64_t changed_files = 0;  // files that were abandoned because other software changed them
  uint64_t removed_bytes = 0;  // bytes lost by these changes
  // The following two count samples without the trace context that their thread might have had
  // (sigsafe/sampling/context_reader.h).
  uint64_t unknown_virtual_threads = 0;
  uint64_t unstored_contexts = 0;
  // The number of contexts that threads could not set.
  uint64_t refused_contexts = 0;
  Nanos handler_ns = 0;      // elapsed time in handlers
  Nanos walk_ns = 0;         // the part of handler_ns in stack walks
  Nanos own_threads_ns = 0;  // CPU time of the profiler's threads
  std::string file;          // the open file; changes with loop=, and when a file is abandoned

  // The following functions return sums over the kinds that are counted in intervals, because
  // weights in other units cannot be added.
  uint64_t LostBy(LostReason reason) const;
  uint64_t LostWithoutThread() const;
  uint64_t TotalRecorded() const;
  uint64_t TotalLost() const;
  uint64_t TotalOutside() const;

  // Returns without_root, summed over all kinds.
  uint64_t TotalWithoutRoot() const;

  // Returns the lost weight of one kind, for all reasons.
  uint64_t LostOf(SampleKind kind) const;
};

}  // namespace jprof
