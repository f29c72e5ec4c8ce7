#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "os/stoppable_thread.h"
#include "sigsafe/os/clock.h"
#include "support/live_thread.h"

namespace jprof {
namespace {

constexpr Nanos kMilli = 1'000'000;

class StopEventTest : public testing::Test {
 protected:
  StopEvent event_ = std::move(StopEvent::Create()).value();
};

TEST_F(StopEventTest, SleepsUntilTheDeadlineWhileItIsUnset) {
  for (int i = 0; i < 20; ++i) {
    const Nanos deadline_ns = MonotonicNanos() + 3 * kMilli;
    EXPECT_FALSE(event_.WaitUntil(deadline_ns));
    EXPECT_GE(MonotonicNanos(), deadline_ns);
  }
}

TEST_F(StopEventTest, DoesNotSleepAfterTheDeadline) {
  EXPECT_FALSE(event_.WaitUntil(MonotonicNanos() - kNanosPerSecond));
  EXPECT_FALSE(event_.WaitUntil(0));
  event_.Set();
  EXPECT_TRUE(event_.WaitUntil(0));
}

TEST_F(StopEventTest, StaysSetForAllWaiters) {
  std::atomic<int> woken{0};
  std::vector<std::thread> waiters;
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&] {
      if (event_.WaitUntil(MonotonicNanos() + 60 * kNanosPerSecond)) woken.fetch_add(1);
    });
  }
  usleep(10'000);
  event_.Set();
  event_.Set();
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(woken.load(), 3);
  EXPECT_TRUE(event_.WaitUntil(MonotonicNanos() + 60 * kNanosPerSecond));
}

TEST_F(StopEventTest, IsUnsetAfterClearUntilItIsSetAgain) {
  event_.Clear();  // clears an event that is not set
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(event_.WaitUntil(0));
    event_.Set();
    event_.Set();
    EXPECT_TRUE(event_.WaitUntil(0));
    event_.Clear();
  }
  EXPECT_FALSE(event_.WaitUntil(0));
}

TEST_F(StopEventTest, ASignalDoesNotEndTheWait) {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, nullptr);
  test::LiveThread waiter;
  std::atomic<bool> was_set{true};
  std::atomic<Nanos> woke_ns{0};
  const Nanos deadline_ns = MonotonicNanos() + 100 * kMilli;
  waiter.Start([&] {
    was_set = event_.WaitUntil(deadline_ns);
    woke_ns = MonotonicNanos();
  });
  while (MonotonicNanos() < deadline_ns - 20 * kMilli) {
    pthread_kill(waiter.handle(), SIGUSR1);
    usleep(5000);
  }
  waiter.Finish();
  EXPECT_FALSE(was_set.load());
  EXPECT_GE(woke_ns.load(), deadline_ns);
}

}  // namespace
}  // namespace jprof
