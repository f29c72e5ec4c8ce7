#include "engines/wall/timing_wheel.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace jprof {
namespace {

using Taken = std::vector<TimingWheel::Due>;

TEST(TimingWheelTest, TakesEveryItemOnceAndAtItsTick) {
  std::minstd_rand random(3);
  std::uniform_int_distribution<int64_t> delay(1, TimingWheel::kMaxDelay);
  std::uniform_int_distribution<int64_t> step(1, 9);
  TimingWheel wheel(1'000'000);
  std::map<uint32_t, int64_t> waiting;
  uint32_t next_item = 0;
  Taken taken;
  for (int look = 0; look < 5000; ++look) {
    for (int i = 0; i < 3; ++i) {
      waiting[next_item] = wheel.Schedule(next_item, delay(random));
      ++next_item;
    }
    const int64_t before = wheel.now();
    const int64_t now = before + step(random);
    taken.clear();
    wheel.AdvanceTo(now, &taken);
    ASSERT_EQ(wheel.now(), now);
    int64_t previous = before;
    for (const TimingWheel::Due& due : taken) {
      ASSERT_EQ(waiting.erase(due.item), 1u);
      ASSERT_GT(due.tick, before);
      ASSERT_LE(due.tick, now);
      ASSERT_GE(due.tick, previous) << "the earliest first";
      previous = due.tick;
    }
    for (const auto& [item, tick] : waiting) ASSERT_GT(tick, now) << item;
  }
}

TEST(TimingWheelTest, AfterAVeryLongPauseEverythingIsDueOnce) {
  TimingWheel wheel(7);
  for (uint32_t item = 1; item <= TimingWheel::kMaxDelay; ++item) wheel.Schedule(item, item);
  Taken taken;
  wheel.AdvanceTo(7 + 1'000'000, &taken);
  EXPECT_EQ(taken.size(), static_cast<size_t>(TimingWheel::kMaxDelay));
  EXPECT_EQ(wheel.now(), 1'000'007);
  wheel.AdvanceTo(2'000'000, &taken);
  EXPECT_EQ(taken.size(), static_cast<size_t>(TimingWheel::kMaxDelay));
}

TEST(TimingWheelTest, TimeDoesNotGoBack) {
  TimingWheel wheel(10);
  wheel.Schedule(1, 1);
  Taken taken;
  wheel.AdvanceTo(9, &taken);
  EXPECT_TRUE(taken.empty());
  EXPECT_EQ(wheel.now(), 10);
}

}  // namespace
}  // namespace jprof
