#include "os/stoppable_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>

namespace jprof {
namespace {

constexpr Nanos kForever = std::numeric_limits<Nanos>::max();

// Starts a thread that increments `ended` when it is stopped.
StoppableThread Sleeper(std::atomic<int>& ended) {
  Result<StoppableThread> thread =
      StoppableThread::Start("sleeper", [&ended](const StopEvent& stop) {
        if (stop.WaitUntil(kForever)) ended.fetch_add(1, std::memory_order_relaxed);
      });
  EXPECT_TRUE(thread.ok());
  return std::move(thread).value();
}

TEST(StoppableThreadTest, StopWaitsForTheBodyAndCanBeRepeated) {
  std::atomic<int> ended{0};
  StoppableThread thread = Sleeper(ended);
  EXPECT_NE(thread.tid(), Tid{0});
  thread.Stop();
  EXPECT_EQ(ended.load(std::memory_order_relaxed), 1);
  EXPECT_EQ(thread.tid(), Tid{0});
  thread.Stop();
  EXPECT_EQ(ended.load(std::memory_order_relaxed), 1);
}

TEST(StoppableThreadTest, StopsAThreadThatIsReplacedOrDestroyed) {
  std::atomic<int> first{0};
  std::atomic<int> second{0};
  {
    StoppableThread thread = Sleeper(first);
    thread = Sleeper(second);
    EXPECT_EQ(first.load(std::memory_order_relaxed), 1);
    EXPECT_EQ(second.load(std::memory_order_relaxed), 0);
  }
  EXPECT_EQ(second.load(std::memory_order_relaxed), 1);
}

TEST(StoppableThreadTest, WithoutAThreadThereIsNothingToStop) {
  StoppableThread none;
  none.RequestStop();
  none.Stop();
  EXPECT_EQ(none.tid(), Tid{0});
}

}  // namespace
}  // namespace jprof
