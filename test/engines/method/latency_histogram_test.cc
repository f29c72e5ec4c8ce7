// Tests the histogram of a method: its cells, its quantiles, and their error.
#include "engines/method/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace jprof {
namespace {

LatencyHistogram Of(const std::vector<Nanos>& durations) {
  std::vector<int64_t> counts(LatencyHistogram::kCells);
  for (const Nanos duration : durations) ++counts[LatencyHistogram::CellOf(duration)];
  return LatencyHistogram(counts);
}

TEST(LatencyHistogramTest, EachDurationIsInTheCellWhoseLimitsHoldIt) {
  for (int bit = 0; bit < 63; ++bit) {
    for (const Nanos off : {Nanos{-1}, Nanos{0}, Nanos{1}}) {
      const Nanos duration = std::max<Nanos>((Nanos{1} << bit) + off, 0);
      const size_t cell = LatencyHistogram::CellOf(duration);
      ASSERT_LT(cell, LatencyHistogram::kCells) << duration;
      EXPECT_LE(LatencyHistogram::LowestOf(cell), duration);
      if (cell + 1 < LatencyHistogram::kCells && bit < 62) {
        EXPECT_GT(LatencyHistogram::LowestOf(cell + 1), duration);
      }
    }
  }
  EXPECT_EQ(LatencyHistogram::CellOf(-5), 0U);
}

TEST(LatencyHistogramTest, AQuantileIsOffByLessThanOnePercent) {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> draw(12, 3);
  std::vector<Nanos> durations;
  for (int i = 0; i < 20'000; ++i) durations.push_back(static_cast<Nanos>(draw(random)));
  const LatencyHistogram histogram = Of(durations);
  std::ranges::sort(durations);
  EXPECT_EQ(histogram.calls(), durations.size());
  for (const double share : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<size_t>(std::ceil(share * 20'000));
    const auto truth = static_cast<double>(durations[rank - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.Quantile(share)), truth, truth * 0.01) << share;
  }
}

TEST(LatencyHistogramTest, ShortDurationsAreExactAndAnEmptyHistogramHasNoQuantile) {
  EXPECT_EQ(Of({}).Quantile(0.5), 0);
  EXPECT_EQ(Of({}).Text(), "");
  const LatencyHistogram histogram = Of({3, 3, 5, 100});
  EXPECT_EQ(histogram.Quantile(0.5), 3);
  EXPECT_EQ(histogram.Quantile(0.75), 5);
  EXPECT_EQ(histogram.Quantile(1), 100);
  EXPECT_EQ(histogram.Text(), "3:2 5:1 100:1");
}

}  // namespace
}  // namespace jprof
