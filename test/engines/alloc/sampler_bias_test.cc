#include "engines/alloc/sampler_bias.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/alloc/alloc_events.h"

namespace jprof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kHotSpotInterval = 256 << 10;

AllocPayload Sample(uint64_t bytes, uint16_t factor = 1) {
  return {.object_bytes = bytes,
          .class_number = 1,
          .thread_number = 1,
          .interval_factor = factor,
          .is_outside_tlab = false};
}

// Returns the warning after `small` samples of small objects and `others` samples like `sample`.
std::string WarningOf(int release, int small, int others, const AllocPayload& sample) {
  SamplerBias bias(release, kHotSpotInterval);
  for (int i = 0; i < small; ++i) bias.Count(Sample(112), kHotSpotInterval);
  for (int i = 0; i < others; ++i) bias.Count(sample, kHotSpotInterval);
  return bias.Warning();
}

TEST(SamplerBiasTest, WarnsOfObjectsNearTheIntervalBeforeJdk25) {
  const AllocPayload array = Sample(64 << 10);
  EXPECT_THAT(WarningOf(17, 500, 500, array), HasSubstr(": 50 % of the bytes "));
  EXPECT_THAT(WarningOf(24, 500, 500, array), HasSubstr("alloc=16k"));
  EXPECT_THAT(WarningOf(11, 500, 500, array), HasSubstr("JDK 11 samples too soon"));
  EXPECT_THAT(WarningOf(11, 500, 500, array), Not(HasSubstr("alloc=16k")));
  EXPECT_EQ(WarningOf(25, 500, 500, array), "");
}

TEST(SamplerBiasTest, DoesNotWarnOfSmallOrLargeObjects) {
  EXPECT_EQ(WarningOf(17, 500, 500, Sample(8 << 10)), "") << "small in relation to the interval";
  EXPECT_EQ(WarningOf(17, 500, 500, Sample(2 * kHotSpotInterval + 8)), "");
  EXPECT_NE(WarningOf(17, 500, 500, Sample(2 * kHotSpotInterval + 8, 2)), "")
      << "at twice the interval";
}

TEST(SamplerBiasTest, AFewSamplesProveNothing) {
  const AllocPayload array = Sample(64 << 10);
  EXPECT_EQ(WarningOf(17, 985, 15, array), "");
  EXPECT_NE(WarningOf(17, 900, 100, array), "");
}

TEST(SamplerBiasTest, WarnsOfObjectsInTlabsOnJdk11Only) {
  for (const int release : {11, 17}) {
    SamplerBias bias(release, 16 << 10);
    for (int i = 0; i < 500; ++i) bias.Count(Sample(4112), 16 << 10);
    EXPECT_EQ(bias.Warning().empty(), release == 17);
  }
}

TEST(SamplerBiasTest, NamesOnlyAShorterInterval) {
  SamplerBias bias(17, 4096);
  for (int i = 0; i < 500; ++i) bias.Count(Sample(8192), 8192);
  EXPECT_THAT(bias.Warning(), testing::EndsWith("those of threads are right"));
}

}  // namespace
}  // namespace jprof
