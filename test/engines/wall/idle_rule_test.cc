#include "chunks/idle_rule.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

TEST(IdleRuleTest, AThreadThatSleepsHasUsedLittleCpuSinceItsHandler) {
  EXPECT_TRUE(IsJustAfter(1000, 1000 + kSettlingCpu));
  EXPECT_FALSE(IsJustAfter(1000, 1001 + kSettlingCpu));
}

TEST(IdleRuleTest, ASleeperWaitsWithTheStackPointerThatItHadInTheHandler) {
  const char* const futex = "202 0x7f10 0x189 0x0 0x0 0x0 0xffffffff 0x7ffd1230 0x7f5a\n";
  EXPECT_TRUE(WaitsAt(futex, 0x7ffd1230));
  EXPECT_FALSE(WaitsAt(futex, 0x7ffd1238));
  EXPECT_TRUE(WaitsAt("-1 0x7ffd1230 0x7f5a\n", 0x7ffd1230)) << "in a page fault";
  EXPECT_FALSE(WaitsAt("running\n", 0x7ffd1230));
}

TEST(IdleRuleTest, AnUnknownStackPointerCountsAsWaiting) {
  for (const char* text : {"", "\n", "202", "202 0x1", "202 0xzz 0x7f5a"}) {
    EXPECT_TRUE(WaitsAt(text, 0x1000)) << text;
  }
}

// docs/clocks.md states the bound that this test checks.
TEST(IdleRuleTest, AGapIsAtMostAnEighthOfTheSleepBeforeItAndAtMost64) {
  for (int64_t idle = 0; idle < 100'000; ++idle) {
    const int64_t gap = GapAfter(idle);
    ASSERT_GE(gap, 1);
    ASSERT_LE(gap, 64);
    ASSERT_LE((gap - 1) * 8, idle);
  }
}

// If a thread sleeps for a minute, with an interval of 10 ms, it is looked at in less than a
// fortieth of the intervals.
TEST(IdleRuleTest, LooksAtASleeperBecomeRareQuickly) {
  int64_t idle = 0;
  int looks = 0;
  for (; idle < 6000; ++looks) idle += GapAfter(idle);
  EXPECT_LT(looks, 6000 / 40);
}

}  // namespace
}  // namespace jprof
