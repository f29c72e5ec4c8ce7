// Whatever interrupts the threads: the intervals are those of their CPU clocks.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <memory>
#include <vector>

#include "engines/cpu_engine.h"
#include "engines/engine_world.h"
#include "os/perf_event.h"
#include "support/cpu_clock.h"
#include "support/live_thread.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using test::BurnCpu;
using test::CpuNanosOf;
using test::LiveThread;

constexpr Nanos kInterval = 1'000'000;

class CpuTriggersTest : public test::EngineTest {
 protected:
  CpuTriggersTest() : EngineTest(kNanosPerSecond) {}

  void SetUp() override {
    if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later";
  }

  std::unique_ptr<Engine> StartBy(CpuTrigger trigger) {
    Result<std::unique_ptr<Engine>> engine =
        CpuEngine::Start(registry_, outside_, {trigger, kInterval, "test"});
    EXPECT_TRUE(engine.ok());
    return std::move(engine).value();
  }

  struct Burnt {
    uint32_t serial;
    Nanos least_ns;  // while it was observed
    Nanos most_ns;
  };

  // Three threads burn under an engine of that kind, which has stopped when this returns.
  std::vector<Burnt> BurnUnder(CpuTrigger trigger) {
    std::vector<std::unique_ptr<LiveThread>> threads;
    for (int i = 0; i < 3; ++i) threads.push_back(std::make_unique<LiveThread>());
    Rescan();
    std::vector<Nanos> before_ns;
    for (auto& thread : threads) before_ns.push_back(CpuNanosOf(thread->handle()));
    const std::unique_ptr<Engine> engine = StartBy(trigger);
    std::vector<Nanos> inside_ns;
    for (auto& thread : threads) inside_ns.push_back(CpuNanosOf(thread->handle()));
    for (size_t i = 0; i < threads.size(); ++i) {
      threads[i]->Start([i] { BurnCpu(static_cast<Nanos>(100 * (i + 1)) * kInterval); });
    }
    for (auto& thread : threads) thread->Finish();
    std::vector<Burnt> burnt;
    for (size_t i = 0; i < threads.size(); ++i) {
      burnt.push_back(
          {SerialOf(threads[i]->tid()), CpuNanosOf(threads[i]->handle()) - inside_ns[i], 0});
    }
    engine->Stop();
    for (size_t i = 0; i < threads.size(); ++i) {
      burnt[i].most_ns = CpuNanosOf(threads[i]->handle()) - before_ns[i];
    }
    return burnt;
  }
};

class EachCpuTriggerTest : public CpuTriggersTest,
                           public testing::WithParamInterface<CpuTrigger> {};

// The first cut is at random, so one interval may be missing or too many.
TEST_P(EachCpuTriggerTest, SamplesAddUpToTheClockWithinOneInterval) {
  if (GetParam() == CpuTrigger::kPerfEvents && !PerfEvent::CheckIsAllowed().ok()) {
    GTEST_SKIP() << "this machine refuses perf_events";
  }
  const std::vector<Burnt> burnt = BurnUnder(GetParam());
  auto totals = DrainTotals();
  for (const Burnt& thread : burnt) {
    const Nanos credited_ns = static_cast<Nanos>(totals[thread.serial].intervals) * kInterval;
    EXPECT_GT(credited_ns, thread.least_ns - kInterval);
    EXPECT_LT(credited_ns, thread.most_ns + kInterval);
    EXPECT_GT(totals[thread.serial].samples, 3u);
  }
  EXPECT_EQ(world_.TakeAllLost(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Triggers, EachCpuTriggerTest,
                         testing::Values(CpuTrigger::kThreadTimers, CpuTrigger::kPerfEvents,
                                         CpuTrigger::kProcessTimer));

TEST_F(CpuTriggersTest, PerfEventsAreFinerThanTheKernelsTick) {
  if (!PerfEvent::CheckIsAllowed().ok()) GTEST_SKIP() << "this machine refuses perf_events";
  const std::vector<Burnt> burnt = BurnUnder(CpuTrigger::kPerfEvents);
  auto totals = DrainTotals();
  EXPECT_GT(totals[burnt[2].serial].samples, 150u) << "of 300 intervals, in 75 ticks of 4 ms";
}

// A soft limit of 0 while it lives.
class NoMore {
 public:
  explicit NoMore(__rlimit_resource resource) : resource_(resource) {
    getrlimit(resource, &before_);
    const rlimit none = {0, before_.rlim_max};
    setrlimit(resource, &none);
  }
  ~NoMore() { setrlimit(resource_, &before_); }
  NoMore(const NoMore&) = delete;
  NoMore& operator=(const NoMore&) = delete;

 private:
  const __rlimit_resource resource_;
  rlimit before_{};
};

class CpuLimitsTest : public CpuTriggersTest {
 protected:
  void ExpectAllSampled(const std::vector<Burnt>& burnt) {
    auto totals = DrainTotals();
    for (const Burnt& thread : burnt) {
      EXPECT_GT(static_cast<Nanos>(totals[thread.serial].intervals) * kInterval,
                thread.least_ns - kInterval);
    }
    EXPECT_EQ(world_.TakeAllLost(), 0u);
  }
};

TEST_F(CpuLimitsTest, WithoutQueuedSignalsThreadsGetPerfEvents) {
  if (!PerfEvent::CheckIsAllowed().ok()) GTEST_SKIP() << "this machine refuses perf_events";
  const NoMore signals(RLIMIT_SIGPENDING);
  ExpectAllSampled(BurnUnder(CpuTrigger::kThreadTimers));
}

TEST_F(CpuLimitsTest, WithoutDescriptorsThreadsGetTimers) {
  LiveThread thread;
  Rescan();
  const Nanos before_ns = CpuNanosOf(thread.handle());
  std::unique_ptr<Engine> engine;
  {
    const NoMore files(RLIMIT_NOFILE);
    engine = StartBy(CpuTrigger::kPerfEvents);
  }
  thread.Run([] { BurnCpu(100 * kInterval); });
  const Nanos burnt_ns = CpuNanosOf(thread.handle()) - before_ns;
  engine->Stop();
  ExpectAllSampled({{SerialOf(thread.tid()), burnt_ns - kInterval, 0}});
}

TEST_F(CpuLimitsTest, WithNeitherTheTimeIsLostForThatReasonAndCounted) {
  LiveThread thread;
  Rescan();
  std::unique_ptr<Engine> engine;
  {
    const NoMore files(RLIMIT_NOFILE);
    const NoMore signals(RLIMIT_SIGPENDING);
    engine = StartBy(CpuTrigger::kThreadTimers);
  }
  thread.Run([] { BurnCpu(100 * kInterval); });
  engine->Stop();
  EXPECT_EQ(DrainTotals()[SerialOf(thread.tid())].intervals, 0u);
  const uint64_t lost = world_.TakeLost(SampleKind::kCpu, LostReason::kNoSignal);
  EXPECT_GE(lost, 100u);
  EXPECT_LE(lost, 130u) << "this thread's own time is in it";
}

}  // namespace
}  // namespace jprof
