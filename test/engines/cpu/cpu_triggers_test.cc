// Tests that with every trigger the samples of a thread add up to its CPU time.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/hand_off.h"
#include "engines/engine_world.h"
#include "os/cpu_clock.h"
#include "os/perf_event.h"
#include "os/process_load.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "support/cpu_clock.h"
#include "support/live_thread.h"
#include "support/no_more.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using test::BurnCpu;
using test::CpuNanosOf;
using test::HandOff;
using test::LiveThread;
using test::NoMore;
using test::SleepThrough;
using test::ThreadTotals;

constexpr Nanos kTriggerInterval = 1'000'000;

class CpuTriggersTest : public test::EngineTest {
 protected:
  CpuTriggersTest() : EngineTest(kNanosPerSecond) {}

  void SetUp() override {
    if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later";
  }

  std::unique_ptr<Engine> StartBy(CpuTrigger trigger) {
    return StartEngine<CpuEngine>(CpuChoice{trigger, kTriggerInterval, "test"});
  }

  struct Burnt {
    uint32_t serial;
    Nanos least_ns;  // CPU time from after the start of the engine to before its stop
    Nanos most_ns;   // CPU time from before the start of the engine to after its stop
  };

  // Starts an engine with the trigger, burns CPU time in three threads, and stops the engine.
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
      threads[i]->Start([i] { BurnCpu(static_cast<Nanos>(100 * (i + 1)) * kTriggerInterval); });
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

// The first sample is due at a random time, so there can be one interval too few or too many.
TEST_P(EachCpuTriggerTest, SamplesAddUpToTheClockWithinOneInterval) {
  if (GetParam() == CpuTrigger::kPerfEvents && !PerfEvent::CheckIsAllowed().ok()) {
    GTEST_SKIP() << "this machine refuses perf_events";
  }
  const std::vector<Burnt> burnt = BurnUnder(GetParam());
  auto totals = DrainTotals();
  uint64_t samples = 0;
  for (const Burnt& thread : burnt) {
    const Nanos credited_ns =
        static_cast<Nanos>(totals[thread.serial].intervals) * kTriggerInterval;
    EXPECT_GT(credited_ns, thread.least_ns - kTriggerInterval);
    EXPECT_LT(credited_ns, thread.most_ns + kTriggerInterval);
    samples += totals[thread.serial].samples;
  }
  EXPECT_GT(samples, 2 * burnt.size()) << "at ticks, not at the stop alone";
  EXPECT_EQ(world_.TakeAllLost(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Triggers, EachCpuTriggerTest,
                         testing::Values(CpuTrigger::kThreadTimers, CpuTrigger::kPerfEvents,
                                         CpuTrigger::kProcessTimer));

TEST_F(CpuTriggersTest, PerfEventsAreFinerThanTheKernelsTick) {
  if (!PerfEvent::CheckIsAllowed().ok()) GTEST_SKIP() << "this machine refuses perf_events";
  if (PerfEvent::MaxSamplesPerSecond() < 1000) GTEST_SKIP() << "this machine takes few samples";
  if (KernelTickNanos() < 4 * kTriggerInterval) {
    GTEST_SKIP() << "ticks are as short as the interval";
  }
  const std::vector<Burnt> burnt = BurnUnder(CpuTrigger::kPerfEvents);
  int finer = 0;
  for (const Sample& sample : world_.Drain()) {
    finer += sample.thread.serial() == burnt[2].serial && test::IntervalsOf(sample) < 3 ? 1 : 0;
  }
  // The thread burns 300 intervals. A busy machine might take samples finer than the tick in only a
  // tenth of them. With timers, only the first sample would be that fine.
  EXPECT_GT(finer, 10);
}

TEST_F(CpuTriggersTest, GivesAThreadATimerWhileItSwitchesOften) {
  if (!PerfEvent::CheckIsAllowed().ok()) GTEST_SKIP() << "this machine refuses perf_events";
  if (!TaskRunQueue(CurrentTid())) GTEST_SKIP() << "this kernel does not count switches";
  if (PerfEvent::MaxSamplesPerSecond() < 1000) GTEST_SKIP() << "this machine takes few samples";
  if (KernelTickNanos() < 4 * kTriggerInterval) {
    GTEST_SKIP() << "ticks are as short as the interval";
  }
  LiveThread one;
  LiveThread other;
  Rescan();
  const uint32_t serial = SerialOf(one.tid());
  const Nanos before_ns = CpuNanosOf(one.handle());
  const std::unique_ptr<Engine> engine = StartEngine<CpuEngine>(
      CpuChoice{CpuTrigger::kPerfEvents, kTriggerInterval, "test", KernelFrames::kNo, true});
  uint64_t intervals = 0;
  const auto drain = [&] {
    const ThreadTotals totals = DrainTotals()[serial];
    intervals += totals.intervals;
    return totals;
  };
  // A thread that has not run has no ratio: NaN compares as false.
  const auto intervals_per_sample = [&] {
    const ThreadTotals totals = drain();
    return static_cast<double>(totals.intervals) / static_cast<double>(totals.samples);
  };
  const auto once = [&](auto&& holds, auto&& pass_time) {
    const Nanos deadline_ns = MonotonicNanos() + 20 * kNanosPerSecond;
    double ratio = 0;
    do {
      pass_time();
      ratio = intervals_per_sample();
    } while (!holds(ratio) && MonotonicNanos() < deadline_ns);
    return ratio;
  };
  {
    const HandOff hand_off(one, other);
    const double ratio =
        once([](double of) { return of > 2; }, [] { SleepThrough(kNanosPerSecond / 2); });
    EXPECT_GT(ratio, 2) << "a sample at each tick of 4 ms";
  }
  SwitchRate rate;
  double switches = 0;
  const double ratio = once([](double of) { return of < 2; },
                            [&] {
                              rate.SinceLast(one.tid());
                              one.Run([] { BurnCpu(500 * kTriggerInterval); });
                              switches = rate.SinceLast(one.tid()).value_or(0);
                            });
  if (switches > 500) GTEST_SKIP() << "this machine preempts a thread " << switches << " times";
  EXPECT_LT(ratio, 2) << "a sample at each interval";
  const Nanos used_ns = CpuNanosOf(one.handle()) - before_ns;
  engine->Stop();
  drain();
  EXPECT_NEAR(static_cast<double>(intervals), static_cast<double>(used_ns) / kTriggerInterval, 2);
}

class CpuLimitsTest : public CpuTriggersTest {
 protected:
  void ExpectAllSampled(const std::vector<Burnt>& burnt) {
    auto totals = DrainTotals();
    for (const Burnt& thread : burnt) {
      EXPECT_GT(static_cast<Nanos>(totals[thread.serial].intervals) * kTriggerInterval,
                thread.least_ns - kTriggerInterval);
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
  thread.Run([] { BurnCpu(100 * kTriggerInterval); });
  const Nanos burnt_ns = CpuNanosOf(thread.handle()) - before_ns;
  engine->Stop();
  ExpectAllSampled({{SerialOf(thread.tid()), burnt_ns - kTriggerInterval, 0}});
}

TEST_F(CpuLimitsTest, CountsLostTimeWithoutSignalsAndDescriptors) {
  LiveThread thread;
  Rescan();
  std::unique_ptr<Engine> engine;
  {
    const NoMore files(RLIMIT_NOFILE);
    const NoMore signals(RLIMIT_SIGPENDING);
    engine = StartBy(CpuTrigger::kThreadTimers);
  }
  thread.Run([] { BurnCpu(100 * kTriggerInterval); });
  engine->Stop();
  EXPECT_EQ(DrainTotals()[SerialOf(thread.tid())].intervals, 0u);
  const uint64_t lost = world_.TakeLost(SampleKind::kCpu, LostReason::kNoSignal);
  EXPECT_GE(lost, 100u);
  EXPECT_LE(lost, 130u) << "this thread's own time is in it";
}

}  // namespace
}  // namespace jprof
