#include "support/jvm/poisson.h"

#include <gtest/gtest.h>

namespace jprof::test {
namespace {

// P(X = 0) is e^-12 < 1e-5 for 12 expected counts, and e^-11 > 1e-5 for 11.
TEST(PoissonTest, OnlyFewExpectedCountsAllowZero) {
  EXPECT_EQ(LikelyCounts(1).least, 0);
  EXPECT_EQ(LikelyCounts(11).least, 0);
  EXPECT_EQ(LikelyCounts(12).least, 1);
}

// P(X > 8) is 1.1e-6 and P(X > 7) is 1.0e-5 for one expected count.
TEST(PoissonTest, TheMostCountsAreTheQuantile) { EXPECT_EQ(LikelyCounts(1).most, 8); }

TEST(PoissonTest, TheRangeIsContinuousAtTheNormalDistribution) {
  const CountRange few = LikelyCounts(29.999);
  const CountRange many = LikelyCounts(30);
  EXPECT_NEAR(few.least, many.least, 4);
  EXPECT_NEAR(few.most, many.most, 4);
}

}  // namespace
}  // namespace jprof::test
