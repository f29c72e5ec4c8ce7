#include "sigsafe/memory/slot_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;

TEST(SlotPoolTest, EverySlotIsClaimedOnceThenNone) {
  SlotPool<192> pool;
  std::set<size_t> claimed;
  for (int i = 0; i < 192; ++i) {
    size_t slot = 0;
    InSignal([&] { slot = pool.Claim(); });
    EXPECT_LT(slot, 192u);
    EXPECT_TRUE(pool.IsTaken(slot));
    EXPECT_TRUE(claimed.insert(slot).second) << slot;
  }
  EXPECT_EQ(pool.Claim(), SlotPool<192>::kNone);
}

TEST(SlotPoolTest, AReleasedSlotIsFreeAndTheOthersStayTaken) {
  SlotPool<64> pool;
  for (int i = 0; i < 64; ++i) pool.Claim();
  InSignal([&] { pool.Release(37); });
  for (size_t slot = 0; slot < 64; ++slot) EXPECT_EQ(pool.IsTaken(slot), slot != 37);
  EXPECT_EQ(pool.Claim(), 37u);
  EXPECT_EQ(pool.Claim(), SlotPool<64>::kNone);
}

TEST(SlotPoolTest, AnyHintFindsTheLastFreeSlot) {
  SlotPool<256> pool;
  for (int i = 0; i < 256; ++i) pool.Claim();
  for (const size_t free_slot : {size_t{0}, size_t{63}, size_t{64}, size_t{255}}) {
    for (const size_t hint : {size_t{0}, size_t{63}, size_t{130}, size_t{255}, size_t{100'000}}) {
      pool.Release(free_slot);
      EXPECT_EQ(pool.Claim(hint), free_slot) << hint;
    }
  }
}

TEST(SlotPoolTest, ALimitLeavesTheSlotsBeyondItFree) {
  SlotPool<256> pool;
  for (int i = 0; i < 128; ++i) EXPECT_LT(pool.Claim(200, 128), 128u);
  EXPECT_EQ(pool.Claim(0, 128), SlotPool<256>::kNone);
  EXPECT_GE(pool.Claim(), 128u);
}

TEST(SlotPoolTest, ForEachTakenVisitsTheTakenSlotsBelowTheLimit) {
  SlotPool<256> pool;
  for (int i = 0; i < 200; ++i) pool.Claim();
  pool.Release(5);
  pool.Release(70);
  std::set<size_t> visited;
  pool.ForEachTaken(128, [&](size_t slot) { EXPECT_TRUE(visited.insert(slot).second); });
  EXPECT_EQ(visited.size(), 126u);
  EXPECT_EQ(visited.count(5) + visited.count(70), 0u);
}

TEST(SlotPoolTest, AHintChoosesTheWordOfTheSlot) {
  SlotPool<256> pool;
  EXPECT_EQ(pool.Claim(130) / 64, 2u);
  EXPECT_EQ(pool.Claim(255) / 64, 3u);
}

// Four threads and their signal handlers claim a slot, mark it as theirs, check that the mark has
// stayed, and release the slot. A slot with two owners at once would get the mark of the other
// owner.
TEST(SlotPoolTest, NoSlotHasTwoOwnersUnderConcurrentClaimsAndReleases) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20'000;
  SlotPool<64> pool;
  const auto owner = std::make_unique<std::atomic<int>[]>(64);
  std::atomic<int> doubly_owned{0};
  std::atomic<int> refused{0};
  const auto use_slot = [&](int who) {
    const size_t slot = pool.Claim();
    if (slot == SlotPool<64>::kNone) {
      refused.fetch_add(1);
      return;
    }
    if (owner[slot].exchange(who) != 0) doubly_owned.fetch_add(1);
    if (owner[slot].exchange(0) != who) doubly_owned.fetch_add(1);
    pool.Release(slot);
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < kRounds; ++round) {
        use_slot(thread + 1);
        if (round % 4 == 0) InSignal([&] { use_slot(100 + thread); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(doubly_owned.load(), 0);
  EXPECT_EQ(refused.load(), 0) << "at most four of 64 slots are in use at any moment";
  for (size_t slot = 0; slot < 64; ++slot) EXPECT_FALSE(pool.IsTaken(slot));
}

}  // namespace
}  // namespace jprof
