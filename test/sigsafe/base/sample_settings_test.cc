#include "sigsafe/base/sample_settings.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace jprof {
namespace {

constexpr SampleKind kFirst = kSampleKinds[0].kind;
constexpr SampleKind kLast = kSampleKinds[kSampleKindCount - 1].kind;

TEST(SampleKindsTest, EveryRowHasItsKindAndAUniqueName) {
  std::set<std::string> names;
  for (const SampleKindRow& row : kSampleKinds) {
    EXPECT_EQ(&RowOf(row.kind), &row);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
}

TEST(SampleSettingsTest, NoKindIsSampledAtFirst) {
  for (const SampleKindRow& row : kSampleKinds) {
    EXPECT_FALSE(SampleSettings()[row.kind].enabled());
  }
}

TEST(SampleSettingsTest, KindsKeepTheOrderInWhichTheyWereEnabled) {
  const SampleSettings settings = SampleSettings().Enable(kLast, 7).Enable(kFirst, 9);
  EXPECT_EQ(settings[kLast], (KindSettings{7, 1}));
  EXPECT_EQ(settings[kFirst], (KindSettings{9, 2}));
}

TEST(SampleSettingsTest, AKindThatIsEnabledAgainKeepsItsPlace) {
  const SampleSettings settings =
      SampleSettings().Enable(kLast, 7).Enable(kFirst, 9).Enable(kLast, 8);
  EXPECT_EQ(settings[kLast], (KindSettings{8, 1}));
  EXPECT_EQ(settings[kFirst], (KindSettings{9, 2}));
}

TEST(SampleSettingsTest, ReportsTimeInIntervalsOfItsKind) {
  const SampleSettings settings =
      SampleSettings().Enable(SampleKind::kCpu, 10).Enable(SampleKind::kWall, 50);
  EXPECT_EQ(settings.Reported(SampleKind::kCpu, 300), 30u);
  EXPECT_EQ(settings.Reported(SampleKind::kWall, 300), 6u);
  EXPECT_EQ(settings.Reported(SampleKind::kCpu, uint64_t{10} << 40), uint64_t{1} << 40);
  EXPECT_EQ(SampleSettings().Reported(SampleKind::kCpu, 300), 0u) << "cpu is not sampled";
}

TEST(SampleSettingsTest, ReportsWeightsOfADisabledKindAsBefore) {
  SampleSettings settings = SampleSettings().Enable(SampleKind::kCpu, 10);
  settings.DisableAll();
  EXPECT_FALSE(settings[SampleKind::kCpu].enabled());
  EXPECT_EQ(settings.Reported(SampleKind::kCpu, 300), 30u);
}

}  // namespace
}  // namespace jprof
