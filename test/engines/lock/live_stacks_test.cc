#include "engines/lock/live_stacks.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

constexpr CallTraceId kOne{0x100000001}, kTwo{0x100000002};

void Keep(LiveStacks& stacks, CallTraceId trace) {
  const auto lock = stacks.Lock();
  stacks.Keep(trace);
}

LiveCallTraces AtRotation(LiveStacks& stacks) {
  LiveCallTraces live;
  stacks.AtRotation(live);
  return live;
}

TEST(LiveStacksTest, AStackLivesInItsEpochAndTheNextOne) {
  LiveStacks stacks;
  Keep(stacks, kOne);
  EXPECT_TRUE(AtRotation(stacks).Has(kOne));
  Keep(stacks, kTwo);
  const LiveCallTraces second = AtRotation(stacks);
  EXPECT_TRUE(second.Has(kOne)) << "a sample of the last moment of the epoch can name it";
  EXPECT_TRUE(second.Has(kTwo));
  const LiveCallTraces third = AtRotation(stacks);
  EXPECT_FALSE(third.Has(kOne));
  EXPECT_TRUE(third.Has(kTwo));
  EXPECT_FALSE(AtRotation(stacks).Has(kTwo));
}

TEST(LiveStacksTest, AStackThatIsKeptInEachEpochLivesOn) {
  LiveStacks stacks;
  for (int i = 0; i < 10; ++i) {
    Keep(stacks, kOne);
    EXPECT_TRUE(AtRotation(stacks).Has(kOne));
  }
  const auto lock = stacks.Lock();
  EXPECT_TRUE(stacks.IsKept(kOne));
  EXPECT_FALSE(stacks.IsKept(kTwo));
}

}  // namespace
}  // namespace jprof
