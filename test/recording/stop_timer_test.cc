#include "recording/stop_timer.h"

#include <gtest/gtest.h>

#include <atomic>

#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

// Waits until `calls` reaches `expected`. Returns false after 20 s, which only a faulty build
// takes.
bool Reaches(const std::atomic<int>& calls, int expected) {
  const Nanos give_up_ns = MonotonicNanos() + 20 * kNanosPerSecond;
  while (calls < expected && MonotonicNanos() < give_up_ns) {
  }
  return calls >= expected;
}

TEST(StopTimerTest, RunsItsBodyOnceOnItsThread) {
  std::atomic<int> calls{0};
  std::atomic<StopTimer*> timer_seen{nullptr};
  std::atomic<bool> own_thread{false};
  const Nanos deadline_ns = MonotonicNanos() + 5'000'000;
  Result<std::unique_ptr<StopTimer>> timer = StopTimer::Start(deadline_ns, [&] {
    EXPECT_GE(MonotonicNanos(), deadline_ns);
    while (timer_seen == nullptr) {
    }
    own_thread = CurrentTid() == timer_seen.load()->tid();
    ++calls;
    return true;
  });
  ASSERT_TRUE(timer.ok());
  EXPECT_EQ(timer.value()->deadline_ns(), deadline_ns);
  EXPECT_NE(timer.value()->tid(), CurrentTid());
  timer_seen = timer.value().get();
  while (calls == 0) {
  }
  timer.value().reset();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(own_thread);
}

TEST(StopTimerTest, ACancelledTimerDoesNothingAndEndsAtOnce) {
  constexpr Nanos kNever = 3600 * kNanosPerSecond;
  std::atomic<int> calls{0};
  Result<std::unique_ptr<StopTimer>> timer =
      StopTimer::Start(MonotonicNanos() + kNever, [&] { return ++calls > 0; });
  ASSERT_TRUE(timer.ok());
  timer.value()->Cancel();
  timer.value().reset();
  EXPECT_EQ(calls, 0);
}

TEST(StopTimerTest, RunsItsBodyBeforeTheDeadlineWhenTheEarlyEndIsDue) {
  constexpr Nanos kNever = 3600 * kNanosPerSecond;
  std::atomic<int> looks{0};
  std::atomic<int> calls{0};
  Result<std::unique_ptr<StopTimer>> timer = StopTimer::Start(
      MonotonicNanos() + kNever, [&] { return ++calls > 0; }, [&] { return ++looks == 2; });
  ASSERT_TRUE(timer.ok());
  ASSERT_TRUE(Reaches(calls, 1));
  timer.value().reset();
  EXPECT_EQ(looks, 2);
  EXPECT_EQ(calls, 1);
}

TEST(StopTimerTest, RepeatsABodyThatFailed) {
  std::atomic<int> calls{0};
  Result<std::unique_ptr<StopTimer>> timer =
      StopTimer::Start(MonotonicNanos(), [&] { return ++calls == 2; });
  ASSERT_TRUE(timer.ok());
  ASSERT_TRUE(Reaches(calls, 2));
  timer.value().reset();
  EXPECT_EQ(calls, 2);

  std::atomic<int> failures{0};
  timer = StopTimer::Start(MonotonicNanos(), [&] { return ++failures == 0; });
  ASSERT_TRUE(timer.ok());
  ASSERT_TRUE(Reaches(failures, 1));
  timer.value().reset();
  EXPECT_EQ(failures, 1);
}

}  // namespace
}  // namespace jprof
