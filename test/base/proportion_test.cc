// Intervals of proportions, compared with exact values and with the binomial distribution.
#include "base/proportion.h"

#include <gtest/gtest.h>

#include <cmath>

namespace jprof {
namespace {

// Returns the probability of at most `hits` hits in `trials` trials.
double AtMost(uint64_t hits, uint64_t trials, double proportion) {
  const auto n = static_cast<double>(trials);
  double sum = 0;
  for (uint64_t i = 0; i <= hits; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(proportion) + (n - k) * std::log1p(-proportion));
  }
  return sum;
}

TEST(ProportionIntervalTest, WithoutHitsHasTheBoundOfTheRuleOfThree) {
  for (const uint64_t trials : {1ULL, 10ULL, 12'345ULL, 1'000'000'000ULL}) {
    const ProportionBounds interval = ProportionInterval(0, trials);
    EXPECT_EQ(interval.low, 0);
    const double high = -std::expm1(std::log(0.025) / static_cast<double>(trials));
    EXPECT_NEAR(interval.high / high, 1, 1e-6) << trials;
  }
}

TEST(ProportionIntervalTest, WithoutTrialsIsEverything) {
  EXPECT_EQ(ProportionInterval(0, 0).low, 0);
  EXPECT_EQ(ProportionInterval(0, 0).high, 1);
}

TEST(ProportionIntervalTest, TheProbabilityOfEachTailCanBeChosen) {
  const ProportionBounds usual = ProportionInterval(uint64_t{30}, uint64_t{100});
  const ProportionBounds same = ProportionInterval(30.0, 100.0, 0.025);
  EXPECT_EQ(same.low, usual.low);
  EXPECT_EQ(same.high, usual.high);
  const ProportionBounds wide = ProportionInterval(30.0, 100.0, 0.0001);
  EXPECT_NEAR(AtMost(30, 100, wide.high), 0.0001, 1e-9);
  EXPECT_NEAR(1 - AtMost(29, 100, wide.low), 0.0001, 1e-9);
}

TEST(ProportionIntervalTest, FractionsOfTrialsAreBetweenWholeOnes) {
  const ProportionBounds few = ProportionInterval(10.0, 40.0, 0.01);
  const ProportionBounds between = ProportionInterval(10.25, 41.0, 0.01);
  const ProportionBounds many = ProportionInterval(11.0, 44.0, 0.01);
  EXPECT_LT(few.low, between.low);
  EXPECT_LT(between.low, many.low);
  EXPECT_GT(few.high, between.high);
  EXPECT_GT(between.high, many.high);
}

TEST(ProportionIntervalTest, IsSymmetric) {
  const ProportionBounds few = ProportionInterval(7, 300);
  const ProportionBounds many = ProportionInterval(293, 300);
  EXPECT_NEAR(few.low, 1 - many.high, 1e-12);
  EXPECT_NEAR(few.high, 1 - many.low, 1e-12);
  EXPECT_EQ(ProportionInterval(5, 5).high, 1);
}

// R: binom.test(3, 20)$conf.int, and binom.test(50, 1000)$conf.int.
TEST(ProportionIntervalTest, HasKnownValues) {
  EXPECT_NEAR(ProportionInterval(3, 20).low, 0.03207094, 1e-7);
  EXPECT_NEAR(ProportionInterval(3, 20).high, 0.37892683, 1e-7);
  EXPECT_NEAR(ProportionInterval(50, 1000).low, 0.03733540, 1e-7);
  EXPECT_NEAR(ProportionInterval(50, 1000).high, 0.06539049, 1e-7);
}

TEST(ProportionIntervalTest, LeavesTailsOfOneInForty) {
  const uint64_t trials[] = {10, 1'000, 1'000'000, 300'000'000};
  for (const uint64_t n : trials) {
    for (const uint64_t hits : {1ULL, 4ULL, 9ULL}) {
      const ProportionBounds interval = ProportionInterval(hits, n);
      EXPECT_NEAR(AtMost(hits, n, interval.high), 0.025, 1e-5) << hits << " of " << n;
      EXPECT_NEAR(1 - AtMost(hits - 1, n, interval.low), 0.025, 1e-5) << hits << " of " << n;
    }
  }
}

TEST(PercentAtMostTextTest, RoundsUpToTwoDigits) {
  EXPECT_EQ(PercentAtMostText(0), "0 %");
  EXPECT_EQ(PercentAtMostText(0.0002988), "0.03 %");
  EXPECT_EQ(PercentAtMostText(0.00003689), "0.0037 %");
  EXPECT_EQ(PercentAtMostText(0.0012), "0.12 %");
  EXPECT_EQ(PercentAtMostText(0.000000369), "0.000037 %");
  EXPECT_EQ(PercentAtMostText(0.0999), "10 %");
  EXPECT_EQ(PercentAtMostText(0.01), "1 %");
  EXPECT_EQ(PercentAtMostText(0.3789), "38 %");
  EXPECT_EQ(PercentAtMostText(1), "100 %");
  EXPECT_EQ(PercentAtMostText(0.992), "100 %");
}

}  // namespace
}  // namespace jprof
