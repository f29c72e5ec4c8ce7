// RecordingSummary: the recorded and the lost samples of a recording. Taken = recorded + lost +
// outside of the windows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample_window.h"

namespace jprof {

// By kind, as reports count weights (SampleSettings::Reported).
struct RecordingSummary {
  std::array<uint64_t, kSampleKindCount> recorded{};
  std::array<std::array<uint64_t, kLostReasonCount>, kSampleKindCount> lost{};
  std::array<uint64_t, kSampleKindCount>
      lost_without_thread{};                         // in no event: the thread is not known
  std::array<uint64_t, kSampleKindCount> outside{};  // of the windows: neither recorded nor lost
  // Samples, not their weight, whose stack was too deep to be walked to its root.
  std::array<uint64_t, kSampleKindCount> without_root{};
  // Of the recorded: those whose stack has a gap (StackConstants::HasGap), and how many samples.
  std::array<uint64_t, kSampleKindCount> with_gaps{};
  std::array<uint64_t, kSampleKindCount> samples_with_gaps{};
  std::optional<SampleWindow::Counts> windows;  // engaged: recorded in windows only
  uint64_t unwritten_events = 0;                // write errors
  uint64_t unloaded_methods = 0;
  uint64_t changed_files = 0;  // abandoned because other software cut, removed or changed them
  uint64_t removed_bytes = 0;  // the bytes lost with them
  // Samples without the trace context that their thread may have
  // (sigsafe/sampling/context_reader.h).
  uint64_t unknown_virtual_threads = 0;
  uint64_t unstored_contexts = 0;
  // Contexts that their threads could not set.
  uint64_t refused_contexts = 0;
  Nanos handler_ns = 0;      // elapsed time in handlers
  Nanos walk_ns = 0;         // the part of it in stack walks
  Nanos own_threads_ns = 0;  // CPU time of the profiler's threads
  std::string file;          // the open file; changes with loop=, and if the file was abandoned

  // Sums over the kinds that are counted in intervals: other units do not add up.
  uint64_t LostBy(LostReason reason) const;
  uint64_t LostWithoutThread() const;
  uint64_t TotalRecorded() const;
  uint64_t TotalLost() const;
  uint64_t TotalOutside() const;

  // Samples of all kinds: they are counted one by one.
  uint64_t TotalWithoutRoot() const;

  // Of one kind, for all reasons.
  uint64_t LostOf(SampleKind kind) const;
};

}  // namespace jprof
