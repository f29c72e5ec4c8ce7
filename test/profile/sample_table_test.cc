#include "profile/sample_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace jprof::profile {
namespace {

using testing::SizeIs;

constexpr int64_t kStart = 1'700'000'000'000'000'000;
constexpr int64_t kMillisecond = 1'000'000;

std::map<uint32_t, uint64_t> BySlice(SampleTable& table) {
  table.Finish();
  std::map<uint32_t, uint64_t> weights;
  table.ForEach([&](uint32_t group, uint32_t /*stack*/, const SampleTable::WeightSum& sum) {
    weights[table.groups()[group].slice] += sum.weight;
  });
  return weights;
}

uint64_t SumOf(const std::map<uint32_t, uint64_t>& weights) {
  uint64_t sum = 0;
  for (const auto& [slice, weight] : weights) sum += weight;
  return sum;
}

// Returns a sample of `count` intervals of 50 ms that end `end_ms` after the start.
Sample Slept(int64_t end_ms, uint64_t count) {
  Sample sample;
  sample.time_ns = kStart + end_ms * kMillisecond;
  sample.covers_ns = -static_cast<int64_t>(count) * 50 * kMillisecond;
  sample.samples = count;
  sample.value = count;
  return sample;
}

SampleTable OfMany() { return {SampleTable::Weigh::kValue, SampleTable::Slices::kMany}; }

// Expects that a single sample is spread over `slices` slices of equal weight.
void ExpectSpread(const Sample& sample, size_t slices, uint64_t weight_of_each) {
  SampleTable table = OfMany();
  table.OnBegin(kStart);
  table.OnSample(sample);
  const auto weights = BySlice(table);
  EXPECT_THAT(weights, SizeIs(slices));
  for (const auto& [slice, weight] : weights) EXPECT_EQ(weight, weight_of_each) << slice;
}

TEST(SampleTableTest, ASampleOfManyIntervalsLiesInAllOfThem) {
  ExpectSpread(Slept(6000, 120), 120, 1);
}

// A sum of floating-point numbers depends on their order, and all outputs of one recording must be
// equal.
TEST(SampleTableTest, SumsComeInTheOrderOfTheirFirstSamples) {
  SampleTable table(SampleTable::Weigh::kValue, SampleTable::Slices::kOne);
  std::vector<uint32_t> stacks;
  for (uint32_t i = 0; i < 1000; ++i) {
    stacks.push_back((i * 7919) % 1009);
    for (const uint32_t stack : {stacks.back(), stacks.front()}) {
      Sample sample;
      sample.time_ns = kStart + i;
      sample.stack = stack;
      table.OnSample(sample);
    }
  }
  table.Finish();
  std::vector<uint32_t> seen;
  table.ForEach(
      [&seen](uint32_t, uint32_t stack, const SampleTable::WeightSum&) { seen.push_back(stack); });
  EXPECT_EQ(seen, stacks);
}

TEST(SampleTableTest, OneSampleOfManyIntervalsEqualsManySamples) {
  SampleTable together = OfMany();
  SampleTable apart = OfMany();
  together.OnBegin(kStart);
  apart.OnBegin(kStart);
  together.OnSample(Slept(5017, 100));
  for (int64_t i = 0; i < 100; ++i) apart.OnSample(Slept(5017 - 50 * i, 1));
  EXPECT_EQ(BySlice(together), BySlice(apart));
}

TEST(SampleTableTest, SpreadsTimeBeforeTheStartOverTheRest) {
  ExpectSpread(Slept(1000, 100), 20, 5);
}

TEST(SampleTableTest, ADurationIsAfterItsStart) {
  SampleTable table = OfMany();
  table.OnBegin(kStart);
  Sample park;
  park.time_ns = kStart + 200 * kMillisecond;
  park.covers_ns = 100 * kMillisecond;
  park.value = 100;
  table.OnSample(park);
  EXPECT_EQ(BySlice(table), (std::map<uint32_t, uint64_t>{{4, 50}, {5, 50}}));
}

TEST(SampleTableTest, AMomentIsInOneSlice) {
  SampleTable table = OfMany();
  table.OnBegin(kStart);
  table.OnSample({.time_ns = kStart + 120 * kMillisecond, .samples = 7, .value = 7});
  EXPECT_EQ(BySlice(table), (std::map<uint32_t, uint64_t>{{2, 7}}));
}

TEST(SampleTableTest, WithoutSlicesNothingIsSpread) {
  SampleTable table(SampleTable::Weigh::kSamples, SampleTable::Slices::kOne);
  table.OnBegin(kStart);
  table.OnSample(Slept(6000, 120));
  EXPECT_EQ(BySlice(table), (std::map<uint32_t, uint64_t>{{0, 120}}));
}

TEST(SampleTableTest, LosesNoWeightWhateverTheTimesAre) {
  std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): all runs are equal
  for (int round = 0; round < 200; ++round) {
    SampleTable table = OfMany();
    table.OnBegin(static_cast<int64_t>(random() >> (random() % 40)));
    uint64_t sum = 0;
    for (int i = 0; i < 50; ++i) {
      Sample sample;
      sample.thread = static_cast<uint32_t>(random() % 3);
      sample.time_ns = static_cast<int64_t>(random()) >> random() % 60;
      sample.covers_ns = static_cast<int64_t>(random()) >> (10 + random() % 50);
      sample.value = random() >> (8 + random() % 50);
      sum += sample.value;
      table.OnSample(sample);
    }
    EXPECT_EQ(SumOf(BySlice(table)), sum) << round;
    EXPECT_LE(table.slice_count(), SampleTable::kMaxSlices) << round;
  }
}

std::map<uint32_t, uint64_t> ByState(SampleTable& table) {
  table.Finish();
  std::map<uint32_t, uint64_t> weights;
  table.ForEach([&](uint32_t group, uint32_t /*stack*/, const SampleTable::WeightSum& sum) {
    weights[table.groups()[group].state] += sum.weight;
  });
  return weights;
}

TEST(SampleTableTest, VariancesAddUpWhenSlicesAreMerged) {
  SampleTable table(Weigh::kValue, SampleTable::Slices::kMany);
  SampleTable counts(Weigh::kSamples, SampleTable::Slices::kMany);
  table.OnBegin(kStart);
  for (int i = 0; i < 1000; ++i) {
    Sample sample;
    sample.time_ns = kStart + i * 1000 * kMillisecond;
    sample.stack = static_cast<uint32_t>(i % 3);
    sample.value = 10;
    sample.variance = i;
    table.OnSample(sample);
    counts.OnSample(sample);
  }
  const auto variance_of = [](SampleTable& summed) {
    summed.Finish();
    double variance = 0;
    summed.ForEach(
        [&](uint32_t, uint32_t, const SampleTable::WeightSum& sum) { variance += sum.variance; });
    return variance;
  };
  EXPECT_GT(table.slice_ns(), 1000 * kMillisecond);
  EXPECT_EQ(variance_of(table), 999 * 1000 / 2);
  EXPECT_TRUE(std::isnan(variance_of(counts))) << "the number of samples is no estimate";
}

// Adds samples of the states 0, 1, ... that end at the same time. Each sample has one interval more
// than the previous sample.
void AddStates(SampleTable& table, uint32_t count) {
  table.OnBegin(kStart);
  for (uint32_t state = 0; state < count; ++state) {
    Sample sample = Slept(5000, state + 1);
    sample.state = state;
    table.OnSample(sample);
  }
}

TEST(SampleTableTest, StatesAreKeptApart) {
  SampleTable table(SampleTable::Weigh::kValue, SampleTable::Slices::kMany,
                    SampleTable::States::kKeep);
  AddStates(table, 20);
  const auto weights = ByState(table);
  ASSERT_THAT(weights, SizeIs(20));
  for (const auto& [state, weight] : weights) EXPECT_EQ(weight, state + 1);
}

TEST(SampleTableTest, StatesAreMergedByDefault) {
  SampleTable table = OfMany();
  AddStates(table, 20);
  EXPECT_EQ(ByState(table), (std::map<uint32_t, uint64_t>{{0, 210}}));
}

TEST(SampleTableTest, MergesStatesBeyondTheLimit) {
  SampleTable table(SampleTable::Weigh::kValue, SampleTable::Slices::kOne,
                    SampleTable::States::kKeep);
  AddStates(table, SampleTable::kMaxStates + 1);
  const auto weights = ByState(table);
  ASSERT_THAT(weights, SizeIs(SampleTable::kMaxStates));
  EXPECT_EQ(weights.rbegin()->second, 2 * SampleTable::kMaxStates + 1);
}

}  // namespace
}  // namespace jprof::profile
