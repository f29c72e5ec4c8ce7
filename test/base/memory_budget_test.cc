#include "base/memory_budget.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/memory_reserve.h"

namespace jprof {
namespace {

constexpr size_t kKilobyte = 1024;

TEST(MemoryBudgetTest, FreedBlocksDoNotCount) {
  MemoryReserve reserve;
  const MemoryBudget budget(100 * kKilobyte);
  for (int i = 0; i < 100; ++i) reserve.Free(reserve.Allocate(60 * kKilobyte));
  EXPECT_FALSE(MemoryBudget::IsExceeded());
  EXPECT_FALSE(MemoryIsShort());
}

TEST(MemoryBudgetTest, MemoryIsShortFromTheExcessUntilTheBudgetEnds) {
  MemoryReserve reserve;
  {
    const MemoryBudget budget(100 * kKilobyte);
    void* const first = reserve.Allocate(60 * kKilobyte);
    EXPECT_FALSE(MemoryIsShort());
    void* const second = reserve.Allocate(60 * kKilobyte);
    EXPECT_TRUE(MemoryIsShort());
    reserve.Free(first);
    reserve.Free(second);
    EXPECT_TRUE(MemoryIsShort()) << "the caller gives up, whatever it frees on its way";
    EXPECT_NE(OutOfMemory().message().find("jprof convert"), std::string::npos);
  }
  EXPECT_FALSE(MemoryIsShort());
  EXPECT_EQ(OutOfMemory().message().find("jprof convert"), std::string::npos);
}

TEST(MemoryBudgetTest, ExpectingMoreThanTheBudgetMakesMemoryShort) {
  MemoryReserve reserve;
  const MemoryBudget budget(100 * kKilobyte);
  void* const held = reserve.Allocate(60 * kKilobyte);
  MemoryBudget::Expect(20 * kKilobyte);
  EXPECT_FALSE(MemoryBudget::IsExceeded());
  MemoryBudget::Expect(30 * kKilobyte);
  EXPECT_TRUE(MemoryBudget::IsExceeded()) << "60, a quarter of them, and 30";
  reserve.Free(held);
}

TEST(MemoryBudgetTest, DoesNotCountBlocksOfOtherThreads) {
  MemoryReserve reserve;
  const MemoryBudget budget(kKilobyte);
  std::thread([&reserve] {
    reserve.Free(reserve.Allocate(60 * kKilobyte));
    EXPECT_FALSE(MemoryIsShort());
  }).join();
  EXPECT_FALSE(MemoryIsShort());
}

}  // namespace
}  // namespace jprof
