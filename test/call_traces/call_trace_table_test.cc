#include "call_traces/call_trace_table.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <vector>

#include "sigsafe/stack/test_stack.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using test::StackOf;
using test::TestStack;

long PageFaults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

std::unique_ptr<CallTraceTable> Reserved(size_t bytes) {
  return std::move(CallTraceTable::Reserve(bytes)).value();
}

CallTraceId Put(CallTraceTable& table, const TestStack& stack) {
  return table.table().Put(stack.AsStack());
}

TEST(CallTraceTableTest, TheIndexGrowsAheadOfUseAndNoIdChanges) {
  const auto table = Reserved(64 << 20);
  table->Begin(1);
  std::vector<CallTraceId> ids;
  for (uint64_t seed = 0; seed < 60'000; ++seed) {
    ids.push_back(Put(*table, StackOf(seed, 12)));
    ASSERT_NE(ids.back(), kDroppedCallTrace) << seed;
    if (seed % 1000 == 0) table->KeepAhead();
  }
  EXPECT_EQ(std::set<CallTraceId>(ids.begin(), ids.end()).size(), ids.size());
  for (uint64_t seed = 0; seed < ids.size(); ++seed) {
    ASSERT_EQ(Put(*table, StackOf(seed, 12)), ids[seed]);
  }
}

// The stacks are made beforehand, so that only the page faults of Put are counted.
TEST(CallTraceTableTest, MemoryIsBackedBeforeAHandlerUsesIt) {
  if (test::kUnderSanitizer) GTEST_SKIP() << "a sanitizer's shadow memory faults as well";
  const auto table = Reserved(64 << 20);
  table->Begin(1);
  std::vector<TestStack> stacks;
  for (uint64_t seed = 0; seed < 5000; ++seed) stacks.push_back(StackOf(seed, 50));
  Put(*table, StackOf(99'999));
  long faults = 0;
  for (size_t i = 0; i < stacks.size(); ++i) {
    if (i % 200 == 0) table->KeepAhead();
    const long before = PageFaults();
    Put(*table, stacks[i]);
    faults += PageFaults() - before;
  }
  // Put writes 4 MB, which is a thousand pages. A kernel before 5.14 cannot back pages beforehand.
  EXPECT_LT(faults, 20);
}

TEST(CallTraceTableTest, ClearGivesTheMemoryBack) {
  if (test::kUnderSanitizer) GTEST_SKIP() << "a sanitizer's shadow memory stays";
  const auto resident = [] {
    std::ifstream file("/proc/self/statm");
    size_t total = 0;
    size_t pages = 0;
    file >> total >> pages;
    return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  };
  const auto table = Reserved(256 << 20);
  const size_t before = resident();
  table->Begin(1);
  for (uint64_t seed = 0; seed < 60'000; ++seed) {
    Put(*table, StackOf(seed, 50));
    if (seed % 1000 == 0) table->KeepAhead();
  }
  EXPECT_GT(resident() - before, 40u << 20);
  table->Clear();
  EXPECT_LT(resident() - before, 2u << 20);
}

TEST(CallTraceTableTest, ATableIsEmptyAndUsableAfterClear) {
  const auto table = Reserved(4 << 20);
  for (uint32_t epoch = 1; epoch < 20; ++epoch) {
    table->Begin(epoch);
    uint64_t stored = 0;
    while (Put(*table, StackOf(stored, 100)) != kDroppedCallTrace) ++stored;
    EXPECT_GT(stored, 1500u);
    EXPECT_TRUE(table->nearly_full());
    table->Clear();
  }
}

}  // namespace
}  // namespace jprof
