#include <gtest/gtest.h>

#include "base/scaled_text.h"

namespace jprof {
namespace {

TEST(DurationTextTest, TakesTheLargestUnitThatKeepsTheNumberWhole) {
  EXPECT_EQ(DurationText(10'000'000), "10 ms");
  EXPECT_EQ(DurationText(1'000'000'000), "1 s");
  EXPECT_EQ(DurationText(1'500'000), "1500 us");
  EXPECT_EQ(DurationText(999), "999 ns");
}

TEST(RoundedDurationTextTest, HasTwoDecimalsInTheLargestUnit) {
  EXPECT_EQ(RoundedDurationText(0), "0 ns");
  EXPECT_EQ(RoundedDurationText(999), "999 ns");
  EXPECT_EQ(RoundedDurationText(1'500), "1.50 us");
  EXPECT_EQ(RoundedDurationText(23'449'000), "23.45 ms");
  EXPECT_EQ(RoundedDurationText(9'996'000), "10.00 ms");
  EXPECT_EQ(RoundedDurationText(99'960'000), "99.96 ms");
  EXPECT_EQ(RoundedDurationText(150'000'000'000), "150.00 s");
}

}  // namespace
}  // namespace jprof
