#include "engines/validate/comparison_sums.h"

#include <gtest/gtest.h>

#include "engines/validate/cause_names.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

ComparisonKey KeyOf(Verdict verdict, Cause cause = {}) {
  return {Layer::kSignal, JudgedWalker::kAsgct, Tier::kC2, verdict, std::move(cause)};
}

TEST(ComparisonSumsTest, ResultsAreCountedByCause) {
  ComparisonSums sums;
  sums.Add(KeyOf(Verdict::kExtra, {"stub", 0}));
  sums.Add(KeyOf(Verdict::kExtra, {"stub", 0}));
  sums.Add(KeyOf(Verdict::kExtra, {"other stub", 0}));
  const auto counts = sums.TakeCounts();
  EXPECT_EQ(counts.at(KeyOf(Verdict::kExtra, {"stub", 0})), 2u);
  EXPECT_EQ(counts.at(KeyOf(Verdict::kExtra, {"other stub", 0})), 1u);
  EXPECT_TRUE(sums.TakeCounts().empty());
}

TEST(ComparisonSumsTest, TenExamplesOfASortAndOneOfEachFurtherCauseAreWanted) {
  ComparisonSums sums;
  uint64_t wanted = 0;
  for (int i = 0; i < 100; ++i) wanted += sums.Add(KeyOf(Verdict::kExtra, {"stub", 0})) ? 1 : 0;
  EXPECT_EQ(wanted, ComparisonSums::kExamples);
  EXPECT_TRUE(sums.Add(KeyOf(Verdict::kExtra, {"other stub", 0})));
  EXPECT_FALSE(sums.Add(KeyOf(Verdict::kExtra, {"other stub", 0})));
  EXPECT_TRUE(sums.Add(KeyOf(Verdict::kMissing, {"stub", 0})));
  for (uint64_t i = 0; i < 100; ++i)
    wanted += sums.Add(KeyOf(Verdict::kExtra, {"", i + 1})) ? 1 : 0;
  EXPECT_EQ(wanted, ComparisonSums::kMostExamples - 1);
  EXPECT_FALSE(sums.Add(KeyOf(Verdict::kEqual)));
}

TEST(ComparisonSumsTest, NoStackIsLostIfThereAreTooManyCauses) {
  ComparisonSums sums;
  constexpr uint64_t kMany = 2 * ComparisonSums::kMostKeys;
  for (uint64_t i = 0; i < kMany; ++i) sums.Add(KeyOf(Verdict::kExtra, {"", i + 1}));
  uint64_t stacks = 0;
  const auto counts = sums.TakeCounts();
  for (const auto& [key, count] : counts) stacks += count;
  EXPECT_EQ(stacks, kMany);
  EXPECT_LE(counts.size(), ComparisonSums::kMostKeys + 1);
}

TEST(CauseNamesTest, CodeHasTheNameOfItsStubOrItsSymbolAndLibrary) {
  constexpr uint64_t kStub = 0x1000;
  constexpr uint64_t kNameless = 0x2000;
  StubNames stubs;
  stubs.Add(kStub, 64, "jlong_disjoint_arraycopy", MonotonicNanos());
  const auto function = reinterpret_cast<uint64_t>(&getenv);
  CauseNames names(stubs);
  names.Resolve({kStub + 4, kNameless, function});
  EXPECT_EQ(names.Of({"StubRoutines (2)", kStub + 4}), "jlong_disjoint_arraycopy");
  EXPECT_EQ(names.Of({"StubRoutines (1)", kNameless}), "StubRoutines (1)");
  EXPECT_EQ(names.Of({"", kNameless}), "unknown code");
  EXPECT_EQ(names.Of({"Shop.order(I)V", 0}), "Shop.order(I)V");
  EXPECT_EQ(names.Of({"", function}), "getenv (libc.so.6)");
}

}  // namespace
}  // namespace jprof
