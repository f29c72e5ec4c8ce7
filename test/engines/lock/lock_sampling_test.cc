#include "engines/lock/lock_sampling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engines/lock/wait_totals.h"

namespace jprof {
namespace {

constexpr Nanos kLockInterval = 10'000'000;

TEST(LockSamplingTest, SamplesEveryWaitOfAtLeastTheInterval) {
  for (const Nanos waited : {kLockInterval, kLockInterval + 1, 100 * kLockInterval}) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
      EXPECT_EQ(LockSampling::WeightOf(waited, kLockInterval, seed), static_cast<uint64_t>(waited));
    }
  }
}

TEST(LockSamplingTest, SumsOfShorterWaitsAreUnbiased) {
  constexpr int kWaits = 200'000;
  for (const Nanos waited :
       {Nanos{1000}, kLockInterval / 100, kLockInterval / 3, kLockInterval - 1}) {
    double sum = 0;
    for (int i = 0; i < kWaits; ++i) {
      // The seeds are like times and differ little, as those of the engine do.
      const uint64_t weight = LockSampling::WeightOf(waited, kLockInterval,
                                                     1'000'000'007ULL * static_cast<uint64_t>(i));
      EXPECT_TRUE(weight == 0 || weight == static_cast<uint64_t>(kLockInterval));
      sum += static_cast<double>(weight);
    }
    const auto d = static_cast<double>(waited);
    const double deviation = std::sqrt(kWaits * d * (static_cast<double>(kLockInterval) - d));
    EXPECT_NEAR(sum, kWaits * d, 5 * deviation) << waited;
  }
  EXPECT_EQ(LockSampling::WeightOf(0, kLockInterval, 1), 0U);
}

// WaitTotals uses the same limit as LockSampling, which samples every wait that is not short.
TEST(WaitTotalsTest, CountsOnlyWaitsBelowTheIntervalAsShort) {
  WaitTotals totals;
  totals.Add(WaitType::kPark, kLockInterval - 1, kLockInterval, 1);
  totals.Add(WaitType::kPark, kLockInterval, kLockInterval, 2);
  totals.Add(WaitType::kPark, 3, kLockInterval, 1);
  totals.Add(WaitType::kMonitorEnter, 5, kLockInterval, 1);
  const WaitSums sums = totals.Of(WaitType::kPark);
  EXPECT_EQ(sums.waits, 3U);
  EXPECT_EQ(sums.total_ns, static_cast<uint64_t>(2 * kLockInterval + 2));
  EXPECT_EQ(sums.short_waits, 2U);
  EXPECT_EQ(sums.short_ns, static_cast<uint64_t>(kLockInterval + 2));
  EXPECT_EQ(sums.longest_ns, static_cast<uint64_t>(kLockInterval));
}

TEST(LockSamplingTest, APayloadKeepsAThreadUnchanged) {
  const SampledThread platform = SampledThread::Platform(12, Tid{34});
  EXPECT_EQ(FromPayload(ForPayload(platform)), platform);
  const SampledThread virtual_thread = SampledThread::Virtual(56);
  EXPECT_EQ(FromPayload(ForPayload(virtual_thread)), virtual_thread);
  EXPECT_EQ(ForPayload(SampledThread()), PayloadThread::kUnknown);
}

}  // namespace
}  // namespace jprof
