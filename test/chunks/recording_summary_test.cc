#include "chunks/recording_summary.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

TEST(RecordingSummaryTest, TakenSamplesAreRecordedOrLost) {
  RecordingSummary summary;
  EXPECT_EQ(summary.TotalRecorded(), 0u);
  EXPECT_EQ(summary.TotalLost(), 0u);
  summary.recorded = {1000, 200};
  for (size_t reason = 0; reason < kLostReasonCount; ++reason) summary.lost[0][reason] = 10;
  summary.lost_without_thread[1] = 3;
  summary.unwritten_events = 50;
  summary.unloaded_methods = 60;
  EXPECT_EQ(summary.TotalRecorded(), 1200u);
  EXPECT_EQ(summary.TotalLost(), 10 * kLostReasonCount + 3);
}

TEST(RecordingSummaryTest, SumsBeyond32BitsAreExact) {
  RecordingSummary summary;
  summary.recorded = {uint64_t{1} << 40, uint64_t{1} << 40};
  summary.lost[1][0] = uint64_t{1} << 41;
  EXPECT_EQ(summary.TotalRecorded(), uint64_t{1} << 41);
  EXPECT_EQ(summary.TotalLost(), uint64_t{1} << 41);
}

}  // namespace
}  // namespace jprof
