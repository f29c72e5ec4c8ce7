// Many threads and their handlers put the same stacks at the same moment.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "sigsafe/traces/call_trace_hash_table.h"
#include "sigsafe/traces/test_stack.h"
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

// Puts every stack, in an order of its own, half of them in signals; ids by stack.
std::vector<TraceId> PutAll(SmallTable& table, const std::vector<TestStack>& stacks,
                            uint32_t seed) {
  std::vector<size_t> order(stacks.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::minstd_rand(seed));
  std::vector<TraceId> ids(stacks.size());
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
  std::vector<std::vector<TraceId>> ids(kThreads);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { ids[i] = PutAll(table, stacks, i + 1); });
  }
  for (std::thread& thread : threads) thread.join();

  for (uint32_t i = 1; i < kThreads; ++i) EXPECT_EQ(ids[i], ids[0]);
  EXPECT_EQ(std::set<TraceId>(ids[0].begin(), ids[0].end()).size(), kStacks);
  for (uint64_t seed = 0; seed < kStacks; ++seed) {
    ASSERT_TRUE(Same(table->Find(ids[0][seed]), stacks[seed])) << seed;
  }
}

TEST(CallTraceConcurrencyTest, AReaderNeverFindsAnUnfinishedRecord) {
  constexpr uint32_t kSlots = 8192;
  const std::vector<TestStack> stacks = AllStacks();
  SmallTable table(kSlots, 32 << 20);
  std::atomic<bool> done{false};
  std::atomic<uint64_t> broken{0};
  std::thread reader([&] {
    do {
      for (uint32_t slot = 0; slot < kSlots; ++slot) {
        const CallTrace* trace = table->Find(TraceId{uint64_t{7} << 32 | slot});
        if (trace == nullptr) continue;
        const uint64_t seed = trace->frames()[0].id >> 20;
        if (seed >= kStacks || !Same(trace, stacks[seed])) broken.fetch_add(1);
      }
    } while (!done.load());
  });
  std::vector<std::thread> writers;
  for (uint32_t i = 0; i < 2; ++i) {
    writers.emplace_back([&, i] { PutAll(table, stacks, i + 1); });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  reader.join();
  EXPECT_EQ(broken.load(), 0u);
}

}  // namespace
}  // namespace jprof
