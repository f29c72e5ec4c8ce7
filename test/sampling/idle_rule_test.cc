#include "sampling/idle_rule.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

TEST(IdleRuleTest, AClockThatMovesOrIsFarFromTheHandlersIsNotThatOfASleeper) {
  EXPECT_TRUE(IsAsleep(1000, 1000 + kSettlingCpu, 1000 + kSettlingCpu));
  EXPECT_FALSE(IsAsleep(1000, 1001 + kSettlingCpu, 1001 + kSettlingCpu));
  EXPECT_FALSE(IsAsleep(1000, 2000, 2001));
}

// The bound that the documentation states.
TEST(IdleRuleTest, AGapIsAtMostAnEighthOfTheSleepBeforeItAndAtMost64) {
  for (int64_t idle = 0; idle < 100'000; ++idle) {
    const int64_t gap = GapAfter(idle);
    ASSERT_GE(gap, 1);
    ASSERT_LE(gap, 64);
    ASSERT_LE((gap - 1) * 8, idle);
  }
}

// The cost that the documentation states: a thread that sleeps for a minute at 10 ms.
TEST(IdleRuleTest, LooksAtASleeperBecomeRareQuickly) {
  int64_t idle = 0;
  int looks = 0;
  for (; idle < 6000; ++looks) idle += GapAfter(idle);
  EXPECT_LT(looks, 6000 / 40);
}

}  // namespace
}  // namespace jprof
