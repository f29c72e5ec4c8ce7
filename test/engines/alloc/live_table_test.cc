#include "engines/alloc/live_table.h"

#include <gtest/gtest.h>

#include <array>
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

// The table has objects of kKinds kinds. An object of one kind weighs kTimes as much as an object
// of the previous kind.
constexpr int kKinds = 4;
constexpr double kTimes = 10;

struct Trial {
  double sum = 0;
  double variance = 0;
};

using Trials = std::array<Trial, kKinds>;

// Fills a table with `count` objects. Each kind is kTimes rarer than the previous one, so that all
// kinds have about the same number of bytes. Returns the estimates of the table for each kind; sets
// `held` to the number of objects of each kind.
Trials Fill(size_t capacity, int count, uint64_t seed, std::array<int, kKinds>* held) {
  LiveTable table(capacity, seed);
  const auto weight_of = [](int kind) { return std::pow(kTimes, kind); };
  *held = {};
  for (int i = 1; i <= count; ++i) {
    int kind = 0;
    for (int n = i; kind + 1 < kKinds && n % static_cast<int>(kTimes) == 0; n /= 10) ++kind;
    ++(*held)[static_cast<size_t>(kind)];
    ReferencedObject object = ObjectOf(static_cast<uintptr_t>(kind) + 1, weight_of(kind));
    object.factor = table.Admit(object.weight);
    if (object.factor != 0) table.Add(std::move(object), [](jweak) {});
    // Halfway through, a collection ends. All objects in the table survive it.
    if (i == count / 2) {
      for (ReferencedObject& each : table.objects()) each.age = 1;
    }
  }
  Trials trials;
  for (const ReferencedObject& object : table.objects()) {
    Trial& trial = trials[reinterpret_cast<uintptr_t>(object.reference) - 1];
    trial.sum += object.ThinnedWeight();
    trial.variance += object.ThinnedVariance();
  }
  return trials;
}

// The bounds are four standard errors of the mean of n trials, and of their variance, whose
// relative standard error is close to sqrt(2 / n). The variance of kinds that are rarely left out
// has a larger error.
TEST(LiveTableTest, SumsAndTheirErrorsAreUnbiased) {
  constexpr int kTrials = 4000;
  std::array<double, kKinds> error{}, squared{}, variance{};
  std::array<int, kKinds> held{};
  for (int i = 0; i < kTrials; ++i) {
    const Trials trials = Fill(200, 6000, static_cast<uint64_t>(i), &held);
    for (size_t kind = 0; kind < kKinds; ++kind) {
      const double off =
          trials[kind].sum - held[kind] * std::pow(kTimes, static_cast<double>(kind));
      error[kind] += off;
      squared[kind] += off * off;
      variance[kind] += trials[kind].variance;
    }
  }
  for (size_t kind = 0; kind < kKinds; ++kind) {
    SCOPED_TRACE(kind);
    EXPECT_LE(std::abs(error[kind]), 4 * std::sqrt(squared[kind]));
    EXPECT_NEAR(variance[kind], squared[kind], squared[kind] * 4 * std::sqrt(2.0 / kTrials));
  }
  EXPECT_GT(squared[0], 0);
}

// The table has room for a hundred objects. It keeps all six objects of the heaviest kind, which
// together weigh at least as much as the objects of any other kind.
TEST(LiveTableTest, AFewHeavyObjectsAmongManyLightOnesHaveNoError) {
  constexpr int kCount = 6000;
  std::array<int, kKinds> held{};
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Trials trials = Fill(100, kCount, seed, &held);
    EXPECT_EQ(held[kKinds - 1], 6);
    EXPECT_EQ(trials[kKinds - 1].sum, 6 * std::pow(kTimes, kKinds - 1));
    EXPECT_EQ(trials[kKinds - 1].variance, 0);
  }
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
  for (const ReferencedObject& object : table.objects()) {
    EXPECT_TRUE(held.contains(object.reference));
  }
}

TEST(LiveTableTest, DoesNotThinSurvivorsForYoungObjects) {
  LiveTable table(100, 7);
  const auto drop = [](jweak) {};
  for (uintptr_t i = 1; i <= 40; ++i) table.Add(ObjectOf(i, 1, 3), drop);
  for (uintptr_t i = 100; i <= 2000; ++i) table.Add(ObjectOf(i, 1), drop);
  int survivors = 0;
  for (const ReferencedObject& object : table.objects()) {
    if (object.age == 0) continue;
    ++survivors;
    EXPECT_EQ(object.factor, 1);
  }
  EXPECT_EQ(survivors, 40);
}

TEST(LiveTableTest, AdmitsMoreObjectsOnceDeadOnesHaveLeft) {
  LiveTable table(100, 3);
  const auto drop = [](jweak) {};
  for (uintptr_t i = 1; i <= 300; ++i) table.Add(ObjectOf(i, 1), drop);
  EXPECT_GT(table.threshold(), 1);
  for (int i = 0; i < 10; ++i) table.Sweep([](const ReferencedObject&) { return true; }, drop);
  EXPECT_TRUE(table.objects().empty());
  EXPECT_LT(table.threshold(), 1);
  EXPECT_EQ(table.Admit(1), 1);
}

}  // namespace
}  // namespace jprof
