#include "profile/waits/blockers.h"

#include <gtest/gtest.h>

#include <string>

namespace jprof {
namespace {

RecordedWait Wait(const std::string& owner, uint32_t thread, double waited_ns,
                  double stands_for_ns) {
  return {.lock_class = "app.Lock",
          .thread = thread,
          .stands_for_ns = stands_for_ns,
          .waited_ns = waited_ns,
          .owner = owner};
}

TEST(BlockersTest, WaitsAreSummedByOwnerThreadAndLock) {
  Blockers blockers;
  blockers.Add(Wait("main", 1, 30, 30));
  blockers.Add(Wait("main", 1, 4, 10));
  blockers.Add(Wait("main", 2, 50, 50));
  blockers.Add(Wait("", 1, 70, 70));
  RecordedWait last = Wait("other", 1, 80, 80);
  last.is_unfinished = true;
  blockers.Add(last);
  ASSERT_EQ(blockers.pairs().size(), 3U);
  const WaitSum& first = blockers.pairs().at({"main", 1, "app.Lock"});
  EXPECT_EQ(first.time_ns, 40);
  EXPECT_EQ(first.variance, 60);  // 10 * (10 - 4): the other was certain to be recorded
  EXPECT_EQ(first.recorded, 2U);
  EXPECT_EQ(first.longest_ns, 30);
  EXPECT_EQ(first.unfinished, 0U);
  EXPECT_EQ(blockers.pairs().at({"main", 2, "app.Lock"}).time_ns, 50);
  EXPECT_EQ(blockers.pairs().at({"other", 1, "app.Lock"}).unfinished, 1U);
}

TEST(BlockersTest, BeyondTheBoundKnownPairsGrowAndOthersAreCounted) {
  Blockers blockers(2);
  for (uint32_t thread = 1; thread <= 5; ++thread) blockers.Add(Wait("main", thread, 10, 10));
  blockers.Add(Wait("main", 2, 10, 10));
  EXPECT_EQ(blockers.pairs().size(), 2U);
  EXPECT_EQ(blockers.pairs().at({"main", 2, "app.Lock"}).time_ns, 20);
  EXPECT_EQ(blockers.left_out(), 3U);
}

}  // namespace
}  // namespace jprof
