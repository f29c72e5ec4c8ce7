#include "base/recently_used.h"

#include <gtest/gtest.h>

#include <string>

namespace jprof {
namespace {

TEST(RecentlyUsedTest, KeepsAnEntryInPlaceThatEachGenerationFinds) {
  RecentlyUsed<int, std::string> names;
  const std::string* const added = &names.Set(1, "one");
  for (int generation = 0; generation < 5; ++generation) {
    names.BeginGeneration();
    EXPECT_EQ(names.Find(1), added) << generation;
  }
  EXPECT_EQ(*added, "one");
}

TEST(RecentlyUsedTest, ForgetsAnUnusedEntryAfterTheNextGeneration) {
  RecentlyUsed<int, std::string> names;
  names.Set(1, "one");
  names.BeginGeneration();
  EXPECT_EQ(names.size(), 1u);
  names.BeginGeneration();
  EXPECT_EQ(names.size(), 0u);
  EXPECT_EQ(names.Find(1), nullptr);
}

TEST(RecentlyUsedTest, SetReplacesTheValueOfAnyGeneration) {
  RecentlyUsed<int, std::string> names;
  names.Set(1, "old");
  names.Set(1, "new");
  EXPECT_EQ(*names.Find(1), "new");
  names.BeginGeneration();
  names.Set(1, "newest");
  EXPECT_EQ(*names.Find(1), "newest");
  EXPECT_EQ(names.size(), 1u);
}

TEST(RecentlyUsedTest, HoldsTheKeysOfTwoGenerationsOnly) {
  RecentlyUsed<int, int> numbers;
  for (int i = 0; i < 100'000; ++i) {
    numbers.Set(i, i);
    if (i % 100 == 99) numbers.BeginGeneration();
    ASSERT_LE(numbers.size(), 200u);
  }
}

}  // namespace
}  // namespace jprof
