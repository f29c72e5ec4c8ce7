#include "engines/alloc/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engines/alloc/alloc_events.h"

namespace jprof {
namespace {

using IsLast = Calibration::IsLast;

constexpr int64_t kInterval = 1000;  // bytes

AllocationSums SampleOf(uint64_t object_bytes) {
  const ObjectWeight weight = ObjectWeight::Of(object_bytes, kInterval);
  return {1, weight.bytes, static_cast<double>(object_bytes),
          weight.standard_error * weight.standard_error};
}

ThreadBytes Thread(uint32_t number, uint64_t bytes, uint64_t address = 0) {
  return {number, SampledThread::Platform(number, Tid{1}), address == 0 ? number * 4096 : address,
          bytes};
}

const CalibrationGroup& Named(const std::vector<CalibrationGroup>& groups,
                              const std::string& name) {
  for (const CalibrationGroup& group : groups) {
    if (group.name == name) return group;
  }
  static const CalibrationGroup none{"none"};
  return none;
}

// Returns the scaled bytes of the samples of a thread.
double Scaled(const Calibration& calibration, uint32_t number, const AllocationSums& sums) {
  return calibration.ScaleOf(number).Weight(sums.weight, sums.own);
}

TEST(ObjectWeightTest, IsTheSizeOverTheProbabilityOfASample) {
  EXPECT_NEAR(ObjectWeight::Of(1000, 1000).bytes, 1000 / (1 - std::exp(-1)), 1e-9);
  EXPECT_NEAR(ObjectWeight::Of(1, 1 << 30).bytes, 1 << 30, 1);
  EXPECT_DOUBLE_EQ(ObjectWeight::Of(1 << 30, 1000).bytes, 1 << 30);
  EXPECT_NEAR(ObjectWeight::Of(1000, 1000).standard_error,
              1000 * std::exp(-0.5) / (1 - std::exp(-1)), 1e-9);
  EXPECT_NEAR(ObjectWeight::Of(1 << 30, 1000).standard_error, 0, 1e-9);
}

// The test draws samples as the JVM should. An estimate is then within k standard errors of the
// truth as often as a normally distributed variable is.
TEST(ObjectWeightTest, TheIntervalOf95PercentCovers93To97PercentOfManyEstimates) {
  constexpr int kEstimates = 4000;
  std::mt19937_64 random(17);
  std::exponential_distribution<double> gap(1.0 / kInterval);
  std::lognormal_distribution<double> size(4, 1.5);
  int covered = 0;
  double left = gap(random);
  for (int i = 0; i < kEstimates; ++i) {
    double truth = 0;
    AllocationSums sums;
    while (truth < 200.0 * kInterval) {
      const auto bytes = static_cast<uint64_t>(size(random)) + 16;
      truth += static_cast<double>(bytes);
      left -= static_cast<double>(bytes);
      if (left > 0) continue;
      left = gap(random);
      sums.Add(SampleOf(bytes));
    }
    covered += std::abs(sums.weight - truth) <= 1.96 * std::sqrt(sums.variance) ? 1 : 0;
  }
  EXPECT_GE(covered, kEstimates * 93 / 100);
  EXPECT_LE(covered, kEstimates * 97 / 100);
}

TEST(CalibrationTest, EstimatesOfBiasedThreadsBecomeTheExactBytes) {
  Calibration calibration(kInterval);
  AllocationSums sums;
  BytesReading reading;
  for (uint32_t number = 1; number <= 1000; ++number) {
    if (number % 2 == 0) {  // half of the expected samples
      sums.Add(SampleOf(10));
      calibration.Add(number, SampleOf(10));
    }
    reading.ended.push_back(Thread(number, 1000));
  }
  const auto groups = calibration.End(reading, IsLast::kNo);
  const CalibrationGroup& total = groups.back();
  EXPECT_EQ(total.name, "total");
  EXPECT_EQ(total.threads, 1000u);
  EXPECT_EQ(total.sums.samples, 500u);
  EXPECT_EQ(total.exact, 1'000'000u);
  EXPECT_NEAR(total.sums.weight, 502'500, 10);
  double scaled = 0;
  for (uint32_t number = 2; number <= 1000; number += 2) {
    scaled += Scaled(calibration, number, SampleOf(10));
  }
  EXPECT_NEAR(scaled, 1e6, 1);
  EXPECT_EQ(calibration.exact(), 1'000'000u);
}

TEST(CalibrationTest, ObjectsWhoseSampleIsCertainKeepTheirBytes) {
  Calibration calibration(kInterval);
  calibration.Add(1, SampleOf(1'000'000));
  for (int i = 0; i < 100; ++i) calibration.Add(1, SampleOf(10));
  BytesReading reading;
  reading.running.push_back(Thread(1, 1'000'000 + 50'000));
  calibration.End(reading, IsLast::kNo);
  EXPECT_NEAR(Scaled(calibration, 1, SampleOf(1'000'000)), 1e6, 1);
  EXPECT_NEAR(Scaled(calibration, 1, SampleOf(10)), 500, 1);
}

TEST(CalibrationTest, AThreadOfManyIntervalsIsAGroupByItself) {
  Calibration calibration(kInterval);
  BytesReading reading;
  for (uint32_t number = 1; number <= 2; ++number) {
    for (int i = 0; i < 100; ++i) calibration.Add(number, SampleOf(10));
    reading.running.push_back(Thread(number, 70'000 + 30'000 * number));
  }
  const auto groups = calibration.End(reading, IsLast::kNo);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].thread.serial(), 1u);
  EXPECT_NEAR(calibration.ScaleOf(1).ratio, 1, 0.01);
  EXPECT_NEAR(calibration.ScaleOf(2).ratio, 1.3, 0.01);
  EXPECT_EQ(calibration.ScaleOf(3).ratio, 1) << "unknown thread";
}

TEST(CalibrationTest, CountsNoBytesFromBeforeAThreadWasFound) {
  Calibration calibration(kInterval);
  BytesReading begin;
  begin.found.push_back(Thread(1, 5'000'000));
  calibration.Apply(begin);
  calibration.Add(1, SampleOf(10));
  calibration.Add(2, SampleOf(10));
  BytesReading end;
  end.running = {Thread(1, 5'000'900), Thread(2, 900)};
  const auto groups = calibration.End(end, IsLast::kNo);
  EXPECT_EQ(Named(groups, "old threads, up to 1000 bytes").exact, 900u);
  EXPECT_EQ(Named(groups, "new threads, up to 1000 bytes").exact, 900u);
  EXPECT_EQ(groups.back().exact, 1800u);
  BytesReading next;
  next.running = {Thread(1, 5'000'950), Thread(2, 900)};
  EXPECT_EQ(calibration.End(next, IsLast::kNo).back().exact, 50u);
}

// Returns the scaled bytes of the samples of a period plus the bytes of the period that no sample
// stands for.
double SumOf(const Calibration& calibration, const std::vector<uint32_t>& numbers,
             const AllocationSums& of_each) {
  double sum = calibration.unseen().not_announced + calibration.unseen().not_sampled;
  for (const uint32_t number : numbers) sum += Scaled(calibration, number, of_each);
  return sum;
}

TEST(CalibrationTest, ThreadsWithFewSamplesShareARatio) {
  Calibration calibration(kInterval);
  calibration.Add(1, SampleOf(10));
  calibration.Add(2, SampleOf(10));
  BytesReading reading;
  reading.running = {Thread(1, 200), Thread(2, 2800)};
  calibration.End(reading, IsLast::kNo);
  EXPECT_EQ(calibration.ScaleOf(1).ratio, calibration.ScaleOf(2).ratio);
  EXPECT_NEAR(Scaled(calibration, 1, SampleOf(10)), 1500, 1);
  EXPECT_EQ(calibration.unseen().not_sampled, 0);
}

TEST(CalibrationTest, ManySmallThreadsSumToTheirExactBytes) {
  Calibration calibration(kInterval);
  BytesReading reading;
  std::vector<uint32_t> numbers;
  for (uint32_t number = 1; number <= 300; ++number) {
    calibration.Add(number, SampleOf(16));
    reading.ended.push_back(Thread(number, 64));
    numbers.push_back(number);
  }
  calibration.End(reading, IsLast::kNo);
  EXPECT_NEAR(SumOf(calibration, numbers, SampleOf(16)), 300 * 64, 1);
}

TEST(CalibrationTest, AGroupWithoutSamplesIsCreditedOnlyLikelyBytes) {
  Calibration calibration(kInterval);
  calibration.Add(1, SampleOf(10));
  BytesReading reading;
  reading.running = {Thread(1, 1000), Thread(2, 40'000)};
  const auto groups = calibration.End(reading, IsLast::kYes);
  EXPECT_EQ(groups.back().exact, 41'000u);
  EXPECT_NEAR(SumOf(calibration, {1}, SampleOf(10)), 41'000, 1);
  EXPECT_LE(Scaled(calibration, 1, SampleOf(10)), 4100);
  BytesReading next;
  next.running = {Thread(1, 1000), Thread(2, 45'000)};
  calibration.End(next, IsLast::kYes);
  EXPECT_NEAR(calibration.unseen().not_sampled, 5000, 1e-6) << "no sample at all";
}

// The counter of a thread is not read at the moment when its samples are taken. Therefore a large
// object near the end of a period can appear in the counter one period before it appears in the
// samples, or one period after.
TEST(CalibrationTest, AnObjectNearTheEndOfAPeriodCountsOnce) {
  constexpr uint64_t kLarge = 200'000;
  for (const bool is_sampled_first : {false, true}) {
    for (const int small : {4, 12, 1000}) {
      Calibration calibration(kInterval);
      uint64_t bytes = 0;
      double sum = 0;
      const auto run = [&](bool has_sample, bool is_counted, IsLast is_last) {
        for (int i = 0; i < small; ++i) calibration.Add(1, SampleOf(10));
        if (has_sample) calibration.Add(1, SampleOf(kLarge));
        bytes += 1000 * static_cast<uint64_t>(small) + (is_counted ? kLarge : 0);
        BytesReading reading;
        reading.running = {Thread(1, bytes)};
        calibration.End(reading, is_last);
        sum += small * Scaled(calibration, 1, SampleOf(10)) + SumOf(calibration, {}, {});
        if (has_sample) sum += Scaled(calibration, 1, SampleOf(kLarge));
      };
      run(is_sampled_first, !is_sampled_first, IsLast::kNo);
      run(!is_sampled_first, is_sampled_first, IsLast::kYes);
      EXPECT_NEAR(sum, static_cast<double>(bytes), 1) << is_sampled_first << ' ' << small;
    }
  }
}

class CarrierTest : public testing::Test {
 protected:
  // Runs a period in which a carrier has `samples` samples of small objects, and its counter grows
  // by `exact_intervals` intervals.
  void Run(int samples, double exact_intervals) {
    for (int i = 0; i < samples; ++i) calibration_.Add(1, SampleOf(1));
    bytes_ += static_cast<uint64_t>(exact_intervals * kInterval);
    ThreadBytes carrier = Thread(1, bytes_);
    carrier.is_carrier = true;
    BytesReading reading;
    reading.running = {carrier};
    groups_ = calibration_.End(reading, IsLast::kNo);
  }
  double not_announced() const { return calibration_.unseen().not_announced / kInterval; }

  Calibration calibration_{kInterval};
  uint64_t bytes_ = 0;
  std::vector<CalibrationGroup> groups_;
};

TEST_F(CarrierTest, AnExcessOfManyErrorsCountsAsNotAnnounced) {
  Run(400, 600);
  EXPECT_EQ(Named(groups_, "carriers of virtual threads").exact, 600u * kInterval);
  EXPECT_NEAR(not_announced(), 200, 1);
  EXPECT_NEAR(calibration_.unseen().error, std::sqrt(400) * kInterval, 20);
  EXPECT_EQ(calibration_.ScaleOf(1).ratio, 1);
  Run(400, 420);
  EXPECT_NEAR(not_announced(), 20, 1) << "no further proof is needed";
}

TEST_F(CarrierTest, SamplesAreScaledToAnExcessWithinTheError) {
  Run(400, 430);
  EXPECT_EQ(not_announced(), 0);
  EXPECT_NEAR(calibration_.ScaleOf(1).ratio, 430.0 / 400, 0.01);
  Run(400, 330);
  EXPECT_NEAR(calibration_.ScaleOf(1).ratio, 330.0 / 400, 0.01);
}

TEST_F(CarrierTest, AnUncertainExcessIsCreditedToNoThread) {
  Run(400, 460);
  EXPECT_EQ(not_announced(), 0);
  EXPECT_EQ(calibration_.ScaleOf(1).ratio, 1);
  Run(0, 0);
  EXPECT_NEAR(calibration_.unseen().not_sampled, 60 * kInterval, kInterval) << "a period later";
}

TEST_F(CarrierTest, SmallExcessesOfManyPeriodsAddUp) {
  int periods = 0;
  for (; periods < 100 && not_announced() == 0; ++periods) Run(400, 440);
  EXPECT_GT(periods, 1);
  EXPECT_LT(periods, 10);
}

// Threads whose JavaThread objects have had the same address have the same samples. Many such
// threads give no better an estimate than one of them.
TEST(CalibrationTest, TheErrorGrowsIfThreadsShareAddresses) {
  const auto design_of = [](uint32_t addresses) {
    Calibration calibration(kInterval);
    std::mt19937_64 random(5);
    std::poisson_distribution<int> samples(1);
    std::vector<int> draws;
    for (uint32_t i = 0; i < addresses; ++i) draws.push_back(samples(random));
    BytesReading reading;
    for (uint32_t number = 1; number <= 12'800; ++number) {
      for (int i = 0; i < draws[number % addresses]; ++i) calibration.Add(number, SampleOf(1));
      reading.ended.push_back(Thread(number, 1000, uint64_t{4096} * (1 + number % addresses)));
    }
    calibration.End(reading, IsLast::kNo);
    for (uint32_t number = 1;; ++number) {
      if (draws[number % addresses] != 0) return calibration.ScaleOf(number).design;
    }
  };
  EXPECT_NEAR(design_of(12'800), 1, 0.3);
  EXPECT_NEAR(design_of(128), std::sqrt(100), 3);
}

TEST(CalibrationTest, RestartForgetsEarlierSamples) {
  Calibration calibration(kInterval);
  calibration.Add(1, SampleOf(10));
  BytesReading reading;
  reading.running.push_back(Thread(1, 1000));
  calibration.Restart(reading);
  EXPECT_EQ(calibration.exact(), 0u);
  EXPECT_EQ(calibration.End(reading, IsLast::kNo).back().exact, 0u);
  EXPECT_EQ(calibration.sums().samples, 0u);
}

}  // namespace
}  // namespace jprof
