#include <gtest/gtest.h>

#include "engines/lock/slot_search.h"

namespace jprof {
namespace {

constexpr Nanos kSecond = 1'000'000'000;

TEST(SearchBudgetTest, AllowsABurstAndThenAHundredthOfTheTime) {
  constexpr Nanos kSearch = 100'000;
  SearchBudget budget;
  Nanos spent = 0;
  for (Nanos now = kSecond; now < 11 * kSecond; now += kSearch) {
    if (!budget.Allows(now)) continue;
    budget.Spend(now, kSearch);
    spent += kSearch;
  }
  constexpr Nanos kExpected = SearchBudget::kBurst + 10 * kSecond / SearchBudget::kShare;
  EXPECT_NEAR(static_cast<double>(spent), static_cast<double>(kExpected), 2.0 * kSearch);
}

TEST(SearchBudgetTest, TimeWithoutSearchesDoesNotAddUp) {
  SearchBudget budget;
  budget.Spend(kSecond, 1);
  const Nanos later = 1'000 * kSecond;
  budget.Spend(later, SearchBudget::kBurst);
  EXPECT_FALSE(budget.Allows(later));
  EXPECT_TRUE(budget.Allows(later + 1));
}

}  // namespace
}  // namespace jprof
