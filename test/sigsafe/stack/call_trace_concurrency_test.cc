// Tests that several threads and their signal handlers can put the same stacks at the same time.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "sigsafe/stack/call_trace_hash_table.h"
#include "sigsafe/stack/test_stack.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;
using test::SmallTable;
using test::StackOf;
using test::TestStack;

constexpr uint32_t kThreads = 4;
constexpr uint64_t kStacks = 3000;

std::vector<TestStack> AllStacks() {
  std::vector<TestStack> stacks;
  for (uint64_t seed = 0; seed < kStacks; ++seed) stacks.push_back(StackOf(seed, 1 + seed % 60));
  return stacks;
}

// Puts all stacks in the order of `seed`, half of them in signal handlers. Returns their ids in the
// order of `stacks`.
std::vector<CallTraceId> PutAll(SmallTable& table, const std::vector<TestStack>& stacks,
                                uint32_t seed) {
  std::vector<size_t> order(stacks.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::minstd_rand(seed));
  std::vector<CallTraceId> ids(stacks.size());
  for (const size_t i : order) {
    if (i % 2 == 0) {
      ids[i] = table.Put(stacks[i]);
    } else {
      InSignal([&] { ids[i] = table.Put(stacks[i]); });
    }
  }
  return ids;
}

TEST(CallTraceConcurrencyTest, EachStackHasOneIdForAllThreadsAndHandlers) {
  const std::vector<TestStack> stacks = AllStacks();
  SmallTable table(8192, 32 << 20);
  std::vector<std::vector<CallTraceId>> ids(kThreads);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { ids[i] = PutAll(table, stacks, i + 1); });
  }
  for (std::thread& thread : threads) thread.join();

  for (uint32_t i = 1; i < kThreads; ++i) EXPECT_EQ(ids[i], ids[0]);
  EXPECT_EQ(std::set<CallTraceId>(ids[0].begin(), ids[0].end()).size(), kStacks);
  for (uint64_t seed = 0; seed < kStacks; ++seed) {
    ASSERT_TRUE(Same(table->Find(ids[0][seed]), stacks[seed])) << seed;
  }
}

// The index grows five times, from 16 to 16384 slots, while handlers use it. A stack that is put
// while the index grows might be stored twice, but no id ever belongs to two stacks.
TEST(CallTraceConcurrencyTest, GrowthGivesNoIdToTwoStacks) {
  const std::vector<TestStack> stacks = AllStacks();
  SmallTable table(16, 64 << 20);
  std::vector<std::vector<CallTraceId>> ids(kThreads);
  std::vector<std::unique_ptr<test::GuardedPage>> indexes;
  std::atomic<uint32_t> running{kThreads};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      // Repeats until all stacks are stored: the smaller indexes can be full for a while.
      do {
        ids[i] = PutAll(table, stacks, i + 1);
      } while (std::count(ids[i].begin(), ids[i].end(), kDroppedCallTrace) != 0);
      running.fetch_sub(1);
    });
  }
  for (uint32_t slots = 64; slots <= 16384; slots *= 4) {
    while (table->trace_count() < slots / 8 && running.load() != 0) std::this_thread::yield();
    indexes.push_back(std::make_unique<test::GuardedPage>(CallTraceIndex::RegionSize(slots)));
    table->UseIndex(CallTraceIndex::In(indexes.back()->region(), slots));
  }
  for (std::thread& thread : threads) thread.join();

  std::map<CallTraceId, uint64_t> stack_of_id;
  for (const auto& each : ids) {
    for (uint64_t seed = 0; seed < kStacks; ++seed) {
      const auto [entry, is_new] = stack_of_id.emplace(each[seed], seed);
      ASSERT_EQ(entry->second, seed) << "two stacks have one id";
      ASSERT_TRUE(Same(table->Find(each[seed]), stacks[seed])) << seed;
    }
  }
}

}  // namespace
}  // namespace jprof
