#include "recording/recording_summary.h"

#include <numeric>

namespace jprof {

uint64_t RecordingSummary::TotalRecorded() const {
  return std::accumulate(recorded.begin(), recorded.end(), uint64_t{0});
}

uint64_t RecordingSummary::TotalLost() const {
  return std::accumulate(lost.begin(), lost.end(), lost_without_thread);
}

}  // namespace jprof
