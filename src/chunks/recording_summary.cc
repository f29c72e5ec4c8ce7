#include "chunks/recording_summary.h"

#include <numeric>

namespace jprof {
namespace {

// Returns the sum of amount_of(kind) over the kinds that are counted in intervals.
template <typename AmountOf>
uint64_t SumOfIntervals(AmountOf&& amount_of) {
  uint64_t intervals = 0;
  for (const SampleKindRow& row : kSampleKinds) {
    if (IsCutIntoIntervals(row.unit)) intervals += amount_of(static_cast<size_t>(row.kind));
  }
  return intervals;
}

}  // namespace

uint64_t RecordingSummary::TotalRecorded() const {
  return SumOfIntervals([this](size_t kind) { return recorded[kind]; });
}

uint64_t RecordingSummary::LostBy(LostReason reason) const {
  return SumOfIntervals(
      [this, reason](size_t kind) { return lost[kind][static_cast<size_t>(reason)]; });
}

uint64_t RecordingSummary::LostWithoutThread() const {
  return SumOfIntervals([this](size_t kind) { return lost_without_thread[kind]; });
}

uint64_t RecordingSummary::TotalLost() const {
  return SumOfIntervals([this](size_t kind) { return LostOf(kSampleKinds[kind].kind); });
}

uint64_t RecordingSummary::TotalOutside() const {
  return SumOfIntervals([this](size_t kind) { return outside[kind]; });
}

uint64_t RecordingSummary::TotalWithoutRoot() const {
  return std::accumulate(without_root.begin(), without_root.end(), uint64_t{0});
}

uint64_t RecordingSummary::LostOf(SampleKind kind) const {
  const auto& reasons = lost[static_cast<size_t>(kind)];
  return std::accumulate(reasons.begin(), reasons.end(),
                         lost_without_thread[static_cast<size_t>(kind)]);
}

}  // namespace jprof
