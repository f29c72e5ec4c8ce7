#include "sigsafe/validation/shadow_stacks.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "os/pages.h"

namespace jprof {
namespace {

ShadowStacks MakeStacks() {
  Result<Pages> pages = Pages::Reserve(ShadowStacks::kBytes);
  EXPECT_TRUE(pages);
  return ShadowStacks(pages.value().Leak());
}

TEST(ShadowStacksTest, AThreadFindsTheStackThatItHasClaimed) {
  const ShadowStacks stacks = MakeStacks();
  EXPECT_EQ(stacks.Find(42), nullptr);
  ShadowStack* const claimed = stacks.Claim(42);
  ASSERT_NE(claimed, nullptr);
  EXPECT_EQ(stacks.Find(42), claimed);
  EXPECT_EQ(stacks.Find(43), nullptr);
}

TEST(ShadowStacksTest, EveryThreadHasItsOwnStack) {
  const ShadowStacks stacks = MakeStacks();
  std::set<ShadowStack*> claimed;
  for (int64_t thread = 1; thread <= 1000; ++thread) claimed.insert(stacks.Claim(thread));
  EXPECT_EQ(claimed.size(), 1000u);
  EXPECT_EQ(claimed.count(nullptr), 0u);
}

TEST(ShadowStacksTest, AFullTableRefusesAndAReleasedPlaceIsClaimedAgain) {
  const ShadowStacks stacks = MakeStacks();
  int64_t refused = 0;
  int64_t thread = 1;
  constexpr auto kMost = static_cast<int64_t>(10 * ShadowStacks::kPlaces);
  for (; refused == 0 && thread < kMost; ++thread) {
    if (stacks.Claim(thread) == nullptr) refused = thread;
  }
  ASSERT_NE(refused, 0);
  for (size_t place = 0; place < ShadowStacks::kPlaces; ++place) stacks.owners()[place] = 0;
  EXPECT_NE(stacks.Claim(refused), nullptr);
}

TEST(ShadowStacksTest, ThreadsThatClaimAtTheSameTimeGetDifferentPlaces) {
  const ShadowStacks stacks = MakeStacks();
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  std::vector<std::vector<ShadowStack*>> claimed(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < kEach; ++k) claimed[i].push_back(stacks.Claim(1 + i + k * kThreads));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<ShadowStack*> all;
  for (const auto& each : claimed) all.insert(each.begin(), each.end());
  EXPECT_EQ(all.size(), size_t{kThreads} * kEach);
}

TEST(ShadowEntryTest, AnEntryHoldsANumberAndAnIndex) {
  constexpr ShadowEntry kEntry = WithCallerIndex(0x12345678, 65535);
  EXPECT_EQ(NumberOf(kEntry), 0x12345678u);
  EXPECT_EQ(CallerIndexOf(kEntry), 65535);
  EXPECT_EQ(CallerIndexOf(0x12345678), -1);
  EXPECT_EQ(CallerIndexOf(WithCallerIndex(5, 0)), 0);
}

}  // namespace
}  // namespace jprof
