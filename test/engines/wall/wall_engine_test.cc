#include "engines/wall/wall_engine.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <memory>

#include "base/engine_signals.h"
#include "engines/engine_world.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "support/live_thread.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using test::LiveThread;
using test::SleepThrough;
using test::ThreadTotals;

constexpr Nanos kInterval = 5'000'000;

class WallEngineTest : public test::EngineTest {
 protected:
  WallEngineTest() : EngineTest(kInterval) {}

  std::unique_ptr<Engine> Started() {
    Result<std::unique_ptr<Engine>> engine = test::Started(
        std::make_unique<WallEngine>(registry_, off_thread_, EngineRequest{{kInterval, 1}}));
    EXPECT_TRUE(engine.ok());
    return std::move(engine).value();
  }

  // The intervals of a thread are those that its last sample saw begin, since it was registered.
  void ExpectExact(const ThreadTotals& totals, Nanos registered_ns) {
    const Nanos begin_ns = std::max(registered_ns, Sampling().start_ns);
    const Nanos cuts =
        WallCutBefore(totals.last_ns, kInterval) - WallCutBefore(begin_ns, kInterval);
    EXPECT_EQ(totals.intervals, static_cast<uint64_t>(cuts / kInterval));
    EXPECT_EQ(totals.spans_ns, totals.last_ns - begin_ns);
  }

  Nanos RegisteredAt(Tid tid) {
    Nanos registered_ns = 0;
    registry_.ForEach([&](const ProfiledThread& thread) {
      if (thread.tid.load() == tid) registered_ns = thread.claimed_ns.load();
    });
    return registered_ns;
  }

  bool IsSampled(Tid tid) {
    bool sampled = false;
    registry_.ForEach([&](const ProfiledThread& thread) {
      if (thread.tid.load() == tid)
        sampled = thread.LastStackOf(SampleKind::kWall).trace.load() != kNoTrace;
    });
    return sampled;
  }
};

TEST_F(WallEngineTest, SleepingAndRunningThreadsAreCreditedWithTheElapsedTime) {
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
  SleepThrough(600'000'000);
  engine->Stop();
  const Nanos stopped_ns = MonotonicNanos();
  stop = true;
  runner.Finish();
  auto totals = DrainTotals();
  const ThreadTotals& asleep = totals[SerialOf(sleeper.tid())];
  const ThreadTotals& running = totals[SerialOf(runner.tid())];
  ExpectExact(asleep, RegisteredAt(sleeper.tid()));
  ExpectExact(running, RegisteredAt(runner.tid()));
  EXPECT_LT(stopped_ns - asleep.last_ns, 20 * kInterval);
  EXPECT_EQ(asleep.sleeping, asleep.samples);
  EXPECT_LT(running.sleeping * 10, running.samples);
  EXPECT_EQ(world_.TakeAllLost(), 0u);
}

TEST_F(WallEngineTest, ItsOwnThreadIsNotSampled) {
  if (test::kUnderTsan) GTEST_SKIP() << "the sanitizer has a thread of its own";
  const std::unique_ptr<Engine> engine = Started();
  Rescan();
  SleepThrough(100'000'000);
  EXPECT_EQ(registry_.Counts().records_in_use, 1u) << "this thread alone";
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
  ExpectExact(DrainTotals()[SerialOf(late.tid())], registered_ns);
}

TEST_F(WallEngineTest, AfterStopThereAreNoSamplesAndTheSignalIsAsItWas) {
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
  Result<std::unique_ptr<Engine>> engine = test::Started(std::make_unique<WallEngine>(
      registry_, off_thread_, EngineRequest{{3600 * kNanosPerSecond, 1}}));
  const Nanos before_ns = MonotonicNanos();
  engine.value()->Stop();
  EXPECT_LT(MonotonicNanos() - before_ns, kNanosPerSecond);
}

TEST_F(WallEngineTest, ItDescribesItself) {
  EXPECT_EQ(Started()->Description(), "wall every 5 ms");
}

}  // namespace
}  // namespace jprof
