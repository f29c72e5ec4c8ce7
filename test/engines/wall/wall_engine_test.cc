#include "engines/wall/wall_engine.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <memory>

#include "base/engine_signals.h"
#include "engines/engine_world.h"
#include "engines/wall/credited_time.h"
#include "sigsafe/os/clock.h"
#include "support/live_thread.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using test::ExpectAllTimeCredited;
using test::LiveThread;
using test::SleepThrough;
using test::ThreadTotals;

constexpr Nanos kEngineInterval = 5'000'000;

class WallEngineTest : public test::EngineTest {
 protected:
  WallEngineTest() : EngineTest(kEngineInterval) {}

  std::unique_ptr<Engine> Started() {
    return StartEngine<WallEngine>(EngineRequest{{kEngineInterval, 1}});
  }

  Nanos RegisteredAt(Tid tid) {
    Nanos registered_ns = 0;
    registry_.ForEach([&](const ThreadSlot& thread) {
      if (thread.tid.load() == tid) registered_ns = thread.claimed_ns.load();
    });
    return registered_ns;
  }

  bool IsSampled(Tid tid) {
    bool sampled = false;
    registry_.ForEach([&](const ThreadSlot& thread) {
      if (thread.tid.load() == tid) {
        sampled = thread.LastStackOf(SampleKind::kWall).trace.load() != kNoCallTrace;
      }
    });
    return sampled;
  }
};

TEST_F(WallEngineTest, CreditsSleepingAndRunningThreadsWithElapsedTime) {
  if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later";
  LiveThread sleeper;
  LiveThread runner;
  Rescan();
  std::atomic<bool> stop{false};
  runner.Start([&] {
    while (!stop.load(std::memory_order_relaxed)) {
    }
  });
  const std::unique_ptr<Engine> engine = Started();
  SleepThrough(300'000'000);
  // The samples so far are not checked for their state: on a busy machine the first signal can find
  // a thread that does not sleep yet.
  auto totals = DrainTotals();
  SleepThrough(300'000'000);
  engine->Stop();
  const Nanos stopped_ns = MonotonicNanos();
  stop = true;
  runner.Finish();
  auto late_totals = DrainTotals();
  const ThreadTotals late = late_totals[SerialOf(sleeper.tid())];
  for (const auto& [serial, thread] : late_totals) totals[serial].Add(thread);
  const ThreadTotals& asleep = totals[SerialOf(sleeper.tid())];
  const ThreadTotals& running = totals[SerialOf(runner.tid())];
  ExpectAllTimeCredited(asleep, RegisteredAt(sleeper.tid()), kEngineInterval);
  ExpectAllTimeCredited(running, RegisteredAt(runner.tid()), kEngineInterval);
  EXPECT_LT(stopped_ns - asleep.last_ns, 20 * kEngineInterval);
  EXPECT_GT(late.samples, 0u);
  EXPECT_EQ(late.sleeping, late.samples);
  EXPECT_LT(running.sleeping * 10, running.samples);
  EXPECT_EQ(world_.TakeAllLost(), 0u);
}

TEST_F(WallEngineTest, ItsOwnThreadIsNotSampled) {
  if (test::kUnderTsan) GTEST_SKIP() << "the sanitizer has a thread of its own";
  const std::unique_ptr<Engine> engine = Started();
  Rescan();
  SleepThrough(100'000'000);
  EXPECT_EQ(registry_.Counts().slots_in_use, 1u) << "this thread alone";
  EXPECT_LE(DrainTotals().size(), 1u);
}

TEST_F(WallEngineTest, AThreadThatComesLaterIsCreditedFromThenOn) {
  const std::unique_ptr<Engine> engine = Started();
  SleepThrough(100'000'000);
  LiveThread late;
  Rescan();
  const Nanos registered_ns = RegisteredAt(late.tid());
  while (!IsSampled(late.tid())) SleepThrough(10'000'000);
  SleepThrough(100'000'000);
  engine->Stop();
  ExpectAllTimeCredited(DrainTotals()[SerialOf(late.tid())], registered_ns, kEngineInterval);
}

TEST_F(WallEngineTest, StopEndsSamplesAndRestoresTheSignal) {
  LiveThread sleeper;
  Rescan();
  const std::unique_ptr<Engine> engine = Started();
  SleepThrough(30'000'000);
  engine->Stop();
  struct sigaction action = {};
  sigaction(kWallSignal, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
  SleepThrough(10'000'000);
  DrainTotals();
  SleepThrough(50'000'000);
  EXPECT_TRUE(DrainTotals().empty());
  engine->Stop();
}

TEST_F(WallEngineTest, StopDoesNotWaitForTheNextTick) {
  const std::unique_ptr<Engine> engine =
      StartEngine<WallEngine>(EngineRequest{{3600 * kNanosPerSecond, 1}});
  const Nanos before_ns = MonotonicNanos();
  engine->Stop();
  EXPECT_LT(MonotonicNanos() - before_ns, kNanosPerSecond);
}

TEST_F(WallEngineTest, ItDescribesItself) {
  EXPECT_EQ(Started()->Description(), "wall every 5 ms");
}

}  // namespace
}  // namespace jprof
