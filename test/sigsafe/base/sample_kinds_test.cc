#include "sigsafe/base/sample_kinds.h"

#include <gtest/gtest.h>

#include <set>

namespace jprof {
namespace {

TEST(SampleLossesTest, EachLossOfTheTableHasItsOwnIndex) {
  std::set<size_t> places;
  for (const SampleKindRow& row : kSampleKinds) {
    for (size_t i = 0; i < kLostReasonCount; ++i) {
      const auto reason = static_cast<LostReason>(i);
      if (!CanBeLost(row.kind, reason)) continue;
      const size_t place = LossIndex(row.kind, reason);
      ASSERT_LT(place, kSampleLossCount);
      EXPECT_EQ(kSampleLosses[place].kind, row.kind);
      EXPECT_EQ(kSampleLosses[place].reason, reason);
      places.insert(place);
    }
  }
  EXPECT_EQ(places.size(), kSampleLossCount);
}

TEST(SampleLossesTest, SamplesWithoutAWalkOrASignalCannotBeLostForItsLack) {
  EXPECT_TRUE(CanBeLost(SampleKind::kCpu, LostReason::kNoSignal));
  EXPECT_FALSE(CanBeLost(SampleKind::kAlloc, LostReason::kNoSignal));
  EXPECT_TRUE(CanBeLost(SampleKind::kAlloc, LostReason::kNoWalkBuffer));
  EXPECT_FALSE(CanBeLost(SampleKind::kSpan, LostReason::kNoWalkBuffer));
}

#ifdef JPROF_CHECKS
TEST(SampleLossesDeathTest, RefusesALossThatItsKindCannotHave) {
  EXPECT_DEATH(static_cast<void>(LossIndex(SampleKind::kSpan, LostReason::kNoSignal)), "");
}
#endif

}  // namespace
}  // namespace jprof
