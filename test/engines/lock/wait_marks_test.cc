#include "engines/lock/wait_marks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace jprof {
namespace {

std::vector<size_t> Visited(WaitMarks& marks, bool is_awaited) {
  std::vector<size_t> visited;
  marks.VisitMarked([&](size_t group) {
    visited.push_back(group);
    return is_awaited;
  });
  return visited;
}

using Groups = std::vector<size_t>;

TEST(WaitMarksTest, AGroupIsVisitedUntilNothingIsAwaitedThereAndOnceMore) {
  WaitMarks marks(8);
  EXPECT_EQ(Visited(marks, true), Groups());
  marks.Set(3);
  marks.Set(5);
  EXPECT_EQ(Visited(marks, true), Groups({3, 5}));
  EXPECT_EQ(Visited(marks, false), Groups({3, 5}));
  EXPECT_EQ(Visited(marks, false), Groups({3, 5})) << "a wait might have seen the old mark";
  EXPECT_EQ(Visited(marks, false), Groups());
  marks.Set(5);
  EXPECT_EQ(Visited(marks, false), Groups({5}));
  EXPECT_EQ(Visited(marks, true), Groups({5}));
  EXPECT_EQ(Visited(marks, false), Groups({5}));
}

TEST(WaitMarksTest, AMarkIsAByteThatProbesCanSet) {
  WaitMarks marks(8);
  const auto* const bytes = static_cast<const uint8_t*>(marks.data());
  EXPECT_EQ(bytes[2], 0);
  marks.Set(2);
  EXPECT_EQ(bytes[2], 1);
}

// Each thread publishes an item and sets the mark, again and again. The visitor sees each item in a
// bounded number of visits, although it removes marks all the time.
TEST(WaitMarksTest, NoItemIsMissed) {
  constexpr int kThreads = 3, kItems = 2'000;
  WaitMarks marks(8);
  std::vector<std::atomic<int>> published(kThreads), seen(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const auto at = static_cast<size_t>(i);
      for (int item = 1; item <= kItems; ++item) {
        published[at].store(item, std::memory_order_release);
        marks.Set(0);
        while (seen[at].load(std::memory_order_acquire) != item) std::this_thread::yield();
      }
    });
  }
  const auto is_over = [&] {
    for (const std::atomic<int>& each : seen) {
      if (each.load() != kItems) return false;
    }
    return true;
  };
  while (!is_over()) {
    marks.VisitMarked([&](size_t) {
      for (size_t i = 0; i < kThreads; ++i) {
        seen[i].store(published[i].load(std::memory_order_acquire), std::memory_order_release);
      }
      return false;
    });
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace jprof
