#include <gtest/gtest.h>

#include "engines/method/window_engine.h"

namespace jprof {
namespace {

constexpr Nanos kStart = 1'000'000'000'000;
constexpr uint64_t kPerSecond = BreakpointBudget::kPerSecond;
constexpr uint64_t kBurst = BreakpointBudget::kBurst;

TEST(BreakpointBudgetTest, CoversItsRateForever) {
  BreakpointBudget budget(kStart);
  for (uint64_t second = 1; second <= 1000; ++second) {
    EXPECT_TRUE(budget.Covers(second * kPerSecond, kStart + second * kNanosPerSecond));
  }
}

TEST(BreakpointBudgetTest, CoversABurstButNotOneCallMore) {
  BreakpointBudget budget(kStart);
  EXPECT_TRUE(budget.Covers(kBurst, kStart));
  EXPECT_FALSE(budget.Covers(kBurst + 1, kStart));
}

TEST(BreakpointBudgetTest, SavesNoMoreThanABurst) {
  BreakpointBudget budget(kStart);
  EXPECT_TRUE(budget.Covers(0, kStart + 1000 * kNanosPerSecond));
  EXPECT_FALSE(budget.Covers(kBurst + 1, kStart + 1000 * kNanosPerSecond));
}

TEST(BreakpointBudgetTest, CoversNothingOnceItIsSpent) {
  BreakpointBudget budget(kStart);
  EXPECT_FALSE(budget.Covers(uint64_t{1} << 62, kStart));
  EXPECT_FALSE(budget.Covers(uint64_t{1} << 62, kStart + 1000 * kNanosPerSecond));
}

}  // namespace
}  // namespace jprof
