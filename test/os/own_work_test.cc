#include "os/own_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "os/native_thread.h"

namespace jprof {
namespace {

TEST(OwnWorkTest, MarksItsThreadUntilTheLastScopeEnds) {
  EXPECT_FALSE(OwnWork::IsOnThisThread());
  {
    const OwnWork outer;
    {
      const OwnWork inner;
      EXPECT_TRUE(OwnWork::IsOnThisThread());
    }
    EXPECT_TRUE(OwnWork::IsOnThisThread());
    std::thread([] { EXPECT_FALSE(OwnWork::IsOnThisThread()); }).join();
  }
  EXPECT_FALSE(OwnWork::IsOnThisThread());
}

TEST(OwnWorkTest, ScopesEndInAnyOrder) {
  std::optional<OwnWork> first(std::in_place);
  std::optional<OwnWork> second(std::in_place);
  std::optional<OwnWork> third(std::in_place);
  second.reset();
  EXPECT_TRUE(OwnWork::IsOnThisThread());
  first.reset();
  EXPECT_TRUE(OwnWork::IsOnThisThread());
  third.reset();
  EXPECT_FALSE(OwnWork::IsOnThisThread());
}

TEST(OwnWorkTest, ThreadsOfTheProfilerAreMarked) {
  std::atomic<bool> is_marked{false};
  Result<NativeThread> thread =
      NativeThread::Start("jprof-test", [&] { is_marked = OwnWork::IsOnThisThread(); });
  ASSERT_TRUE(thread.ok());
  thread.value().Join();
  EXPECT_TRUE(is_marked);
}

TEST(OwnWorkTest, DistinguishesManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int turn = 0; turn < 5000; ++turn) {
        EXPECT_FALSE(OwnWork::IsOnThisThread());
        const OwnWork work;
        EXPECT_TRUE(OwnWork::IsOnThisThread());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace jprof
