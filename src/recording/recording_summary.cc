#include "recording/recording_summary.h"

#include <numeric>

namespace jprof {

uint64_t RecordingSummary::TotalRecorded() const {
  return std::accumulate(recorded.begin(), recorded.end(), uint64_t{0});
}

uint64_t RecordingSummary::LostBy(LostReason reason) const {
  uint64_t intervals = 0;
  for (const auto& of_kind : lost) intervals += of_kind[static_cast<size_t>(reason)];
  return intervals;
}

uint64_t RecordingSummary::LostWithoutThread() const {
  return std::accumulate(lost_without_thread.begin(), lost_without_thread.end(), uint64_t{0});
}

uint64_t RecordingSummary::TotalLost() const {
  uint64_t intervals = LostWithoutThread();
  for (const auto& of_kind : lost) {
    intervals = std::accumulate(of_kind.begin(), of_kind.end(), intervals);
  }
  return intervals;
}

}  // namespace jprof
