#include "engines/lock/lock_sampling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engines/lock/wait_totals.h"

namespace jprof {
namespace {

constexpr Nanos kInterval = 10'000'000;

TEST(LockSamplingTest, AWaitOfTheIntervalOrMoreIsASampleOfItsDuration) {
  for (const Nanos waited : {kInterval, kInterval + 1, 100 * kInterval}) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
      EXPECT_EQ(LockSampling::WeightOf(waited, kInterval, seed), static_cast<uint64_t>(waited));
    }
  }
}

TEST(LockSamplingTest, SumsOfShorterWaitsAreUnbiased) {
  constexpr int kWaits = 200'000;
  for (const Nanos waited : {Nanos{1000}, kInterval / 100, kInterval / 3, kInterval - 1}) {
    double sum = 0;
    for (int i = 0; i < kWaits; ++i) {
      // As in the engine: a time, and seeds that differ little.
      const uint64_t weight =
          LockSampling::WeightOf(waited, kInterval, 1'000'000'007ULL * static_cast<uint64_t>(i));
      EXPECT_TRUE(weight == 0 || weight == static_cast<uint64_t>(kInterval));
      sum += static_cast<double>(weight);
    }
    const auto d = static_cast<double>(waited);
    const double deviation = std::sqrt(kWaits * d * (static_cast<double>(kInterval) - d));
    EXPECT_NEAR(sum, kWaits * d, 5 * deviation) << waited;
  }
  EXPECT_EQ(LockSampling::WeightOf(0, kInterval, 1), 0U);
}

// The same border as that of samples.
TEST(WaitTotalsTest, AWaitIsShortBelowTheIntervalAlone) {
  WaitTotals totals;
  totals.Add(WaitType::kPark, kInterval - 1, kInterval, 1);
  totals.Add(WaitType::kPark, kInterval, kInterval, 2);
  totals.Add(WaitType::kPark, 3, kInterval, 1);
  totals.Add(WaitType::kMonitorEnter, 5, kInterval, 1);
  const WaitSums sums = totals.Of(WaitType::kPark);
  EXPECT_EQ(sums.waits, 3U);
  EXPECT_EQ(sums.total_ns, static_cast<uint64_t>(2 * kInterval + 2));
  EXPECT_EQ(sums.short_waits, 2U);
  EXPECT_EQ(sums.short_ns, static_cast<uint64_t>(kInterval + 2));
  EXPECT_EQ(sums.longest_ns, static_cast<uint64_t>(kInterval));
}

TEST(LockSamplingTest, ThreadsOfPayloadsAreTheSame) {
  const SampledThread platform = SampledThread::Platform(12, Tid{34});
  EXPECT_EQ(FromPayload(ForPayload(platform)), platform);
  const SampledThread virtual_thread = SampledThread::Virtual(56);
  EXPECT_EQ(FromPayload(ForPayload(virtual_thread)), virtual_thread);
  EXPECT_EQ(ForPayload(SampledThread()), PayloadThread::kUnknown);
}

}  // namespace
}  // namespace jprof
