#include "integration/flatness.h"

#include <gtest/gtest.h>

#include <random>

namespace jprof::test {
namespace {

// Returns a curve whose noise wanders, as the noise of memory does.
std::vector<double> Curve(double growth, unsigned seed) {
  constexpr int kValues = 600;
  std::mt19937 random(seed);
  std::normal_distribution<double> step(0, 1);
  std::vector<double> values;
  double wandering = 0;
  for (int i = 0; i < kValues; ++i) {
    wandering = 0.9 * wandering + step(random);
    values.push_back(1000 + growth * i / kValues + wandering);
  }
  return values;
}

TEST(TrendTest, SeesGrowthBeyondTheNoiseOnly) {
  int taken_for_growth = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Trend growing = Trend::Of(Curve(20, seed));
    EXPECT_GT(growing.growth, growing.noise) << seed;
    EXPECT_NEAR(growing.growth, 20, 5) << seed;
    const Trend flat = Trend::Of(Curve(0, seed));
    taken_for_growth += flat.growth > flat.noise ? 1 : 0;
  }
  EXPECT_LE(taken_for_growth, 5);
}

TEST(MeanTest, HasTheErrorOfWanderingValues) {
  int within_two = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Mean mean = Mean::Of(Curve(0, seed));
    within_two += std::abs(mean.value - 1000) < 2 * mean.error ? 1 : 0;
  }
  EXPECT_GT(within_two, 85);
  EXPECT_LT(within_two, 100);
}

TEST(TrendTest, IgnoresCurvesOfFewValues) { EXPECT_EQ(Trend::Of({1, 2, 3}).growth, 0); }

}  // namespace
}  // namespace jprof::test
