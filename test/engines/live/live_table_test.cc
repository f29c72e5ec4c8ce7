#include "engines/live/live_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace jprof {
namespace {

jweak ReferenceOf(uintptr_t number) { return reinterpret_cast<jweak>(number); }

ReferencedObject ObjectOf(uintptr_t number, double weight, uint32_t age = 0) {
  ReferencedObject object;
  object.reference = ReferenceOf(number);
  object.weight = weight;
  object.age = age;
  return object;
}

double SumOf(const LiveTable& table) {
  double sum = 0;
  for (const ReferencedObject& object : table.objects()) sum += object.ThinnedWeight();
  return sum;
}

double VarianceOf(const LiveTable& table) {
  double sum = 0;
  for (const ReferencedObject& object : table.objects()) sum += object.ThinnedVariance();
  return sum;
}

// Of `count` objects of weights 1 to 5 offered to a table of 100.
struct Trial {
  double truth = 0;
  double sum = 0;
  double variance = 0;
};

Trial Fill(int count, uint64_t seed) {
  LiveTable table(100, seed);
  Trial trial;
  for (int i = 1; i <= count; ++i) {
    const double weight = 1 + i % 5;
    trial.truth += weight;
    if (!table.Admit()) continue;
    ReferencedObject object = ObjectOf(static_cast<uintptr_t>(i), weight);
    object.factor = table.admission();
    table.Add(std::move(object), [](jweak) {});
    // What has survived once, as a collection in the middle would say.
    if (i == count / 2) {
      for (ReferencedObject& each : table.objects()) each.age = 1;
    }
  }
  trial.sum = SumOf(table);
  trial.variance = VarianceOf(table);
  return trial;
}

TEST(LiveTableTest, SumsOfAThinnedTableAreTheTruthOnAverageAndTheirErrorsTrue) {
  constexpr int kTrials = 4000;
  double error = 0;
  double squared = 0;
  double variance = 0;
  for (int i = 0; i < kTrials; ++i) {
    const Trial trial = Fill(3000, static_cast<uint64_t>(i));
    error += trial.sum - trial.truth;
    squared += (trial.sum - trial.truth) * (trial.sum - trial.truth);
    variance += trial.variance;
  }
  // The mean of the trials is within four of its standard errors.
  const double standard_error = std::sqrt(squared) / kTrials;
  EXPECT_LT(std::abs(error / kTrials), 4 * standard_error);
  // A variance of n trials is known to about sqrt(2 / n) of itself.
  EXPECT_NEAR(variance / squared, 1, 0.15);
}

TEST(LiveTableTest, HoldsNoMoreThanItsCapacityAndDropsEachReferenceOnce) {
  LiveTable table(64, 1);
  std::set<jweak> held;
  for (uintptr_t i = 1; i <= 10'000; ++i) {
    held.insert(ReferenceOf(i));
    table.Add(ObjectOf(i, 1), [&](jweak gone) { EXPECT_EQ(held.erase(gone), 1u); });
    EXPECT_LE(table.objects().size(), 64u);
  }
  EXPECT_EQ(held.size(), table.objects().size());
  for (const ReferencedObject& object : table.objects())
    EXPECT_TRUE(held.contains(object.reference));
}

TEST(LiveTableTest, SurvivorsAreNotThinnedForWhatIsYoung) {
  LiveTable table(100, 7);
  const auto drop = [](jweak) {};
  for (uintptr_t i = 1; i <= 40; ++i) table.Add(ObjectOf(i, 1, 3), drop);
  for (uintptr_t i = 100; i <= 2000; ++i) table.Add(ObjectOf(i, 1), drop);
  int survivors = 0;
  for (const ReferencedObject& object : table.objects()) {
    if (object.age == 0) continue;
    ++survivors;
    EXPECT_EQ(object.factor, 1u);
  }
  EXPECT_EQ(survivors, 40);
}

TEST(LiveTableTest, NewObjectsEnterMoreOftenAgainOnceTheDeadHaveLeft) {
  LiveTable table(100, 3);
  const auto drop = [](jweak) {};
  for (uintptr_t i = 1; i <= 300; ++i) table.Add(ObjectOf(i, 1), drop);
  EXPECT_GT(table.admission(), 1u);
  for (int i = 0; i < 10; ++i) table.Sweep([](const ReferencedObject&) { return true; }, drop);
  EXPECT_TRUE(table.objects().empty());
  EXPECT_EQ(table.admission(), 1u);
}

}  // namespace
}  // namespace jprof
