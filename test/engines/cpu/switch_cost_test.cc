// Tests that threads for which a perf_event costs much get timers, by the cost that is measured on
// this machine.
#include "engines/cpu/switch_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/hand_off.h"
#include "engines/engine_world.h"
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

using test::CpuNanosOf;
using test::HandOff;
using test::LiveThread;
using test::SleepThrough;
using testing::HasSubstr;
using testing::Not;

constexpr Nanos kSwitchInterval = 1'000'000;

class SwitchCostTest : public test::EngineTest {
 protected:
  SwitchCostTest() : EngineTest(kNanosPerSecond) {}

  void SetUp() override {
    if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later";
    if (!PerfEvent::CheckIsAllowed().ok()) GTEST_SKIP() << "this machine refuses perf_events";
    if (!TaskRunQueue(CurrentTid())) GTEST_SKIP() << "this kernel does not count switches";
  }

  std::unique_ptr<Engine> StartWithChoice() {
    return StartEngine<CpuEngine>(
        CpuChoice{CpuTrigger::kPerfEvents, kSwitchInterval, "test", KernelFrames::kNo, true});
  }

  // Returns the CPU time that the two threads use to pass the byte on, in the cheapest of ten
  // rounds.
  Nanos CostOfPass(LiveThread& one, LiveThread& other, const HandOff& hand_off) {
    Nanos least_ns = std::numeric_limits<Nanos>::max();
    for (int round = 0; round < 10; ++round) {
      const Nanos before_ns = CpuNanosOf(one.handle()) + CpuNanosOf(other.handle());
      const uint64_t passes = hand_off.passes();
      SleepThrough(kNanosPerSecond / 10);
      const Nanos used_ns = CpuNanosOf(one.handle()) + CpuNanosOf(other.handle()) - before_ns;
      const auto passed = static_cast<Nanos>(hand_off.passes() - passes);
      if (passed != 0) least_ns = std::min(least_ns, used_ns / passed);
    }
    return least_ns;
  }
};

TEST_F(SwitchCostTest, IsWhatAPerfEventAddsToASwitch) {
  std::vector<Tid> started;
  const std::optional<Nanos> cost_ns =
      MeasureSwitchCost(kSwitchInterval, [&](Tid tid) { started.push_back(tid); });
  ASSERT_TRUE(cost_ns.has_value());
  EXPECT_EQ(started.size(), 2u);
  LiveThread one;
  LiveThread other;
  Rescan();
  const HandOff hand_off(one, other);
  const Nanos without_ns = CostOfPass(one, other, hand_off);
  const std::unique_ptr<Engine> engine =
      StartEngine<CpuEngine>(CpuChoice{CpuTrigger::kPerfEvents, kSwitchInterval, "test"});
  const Nanos with_ns = CostOfPass(one, other, hand_off);
  engine->Stop();
  RecordProperty("cost of a switch, ns", static_cast<int>(*cost_ns));
  RecordProperty("cost of a pass without perf_events, ns", static_cast<int>(without_ns));
  RecordProperty("cost of a pass with perf_events, ns", static_cast<int>(with_ns));
  EXPECT_GT(with_ns, without_ns);
  EXPECT_GT(*cost_ns, (with_ns - without_ns) / 3);
  EXPECT_LT(*cost_ns, (with_ns - without_ns) * 3);
}

TEST_F(SwitchCostTest, IsUnknownWithoutPerfEvents) {
  const test::NoMore files(RLIMIT_NOFILE);
  EXPECT_EQ(MeasureSwitchCost(kSwitchInterval, [](Tid) {}), std::nullopt);
}

// With perf_events, these threads would cost at least 1.2 times as much as with timers.
TEST_F(SwitchCostTest, ThreadsGetTheTriggerThatCostsLess) {
  LiveThread one;
  LiveThread other;
  LiveThread busy;
  Rescan();
  const auto hand_off = std::make_unique<HandOff>(one, other);
  std::unique_ptr<Engine> engine =
      StartEngine<CpuEngine>(CpuChoice{CpuTrigger::kPerfEvents, kSwitchInterval, "test"});
  const Nanos with_events_ns = CostOfPass(one, other, *hand_off);
  engine->Stop();
  engine = StartEngine<CpuEngine>(CpuChoice{CpuTrigger::kThreadTimers, kSwitchInterval, "test"});
  const Nanos with_timers_ns = CostOfPass(one, other, *hand_off);
  engine->Stop();
  const double ratio = static_cast<double>(with_events_ns) / static_cast<double>(with_timers_ns);
  if (ratio < 1.2) GTEST_SKIP() << "here, perf_events cost " << ratio << " times as much as timers";

  engine = StartWithChoice();
  EXPECT_THAT(engine->Description(), Not(HasSubstr("a perf_event adds")));
  const Nanos deadline_ns = MonotonicNanos() + 20 * kNanosPerSecond;
  const std::string two = "get timers: 2 now";
  while (engine->Description().find(two) == std::string::npos && MonotonicNanos() < deadline_ns) {
    busy.Run([] { test::BurnCpu(100 * kSwitchInterval); });
  }
  EXPECT_THAT(engine->Description(), HasSubstr(two)) << "not the thread that does not switch";
  EXPECT_THAT(engine->Description(), HasSubstr("a perf_event adds"));
  engine->Stop();
}

TEST_F(SwitchCostTest, IsNotMeasuredIfNoThreadSwitchesOften) {
  LiveThread busy;
  Rescan();
  SwitchRate rate;
  rate.SinceLast(busy.tid());
  const std::unique_ptr<Engine> engine = StartWithChoice();
  busy.Run([] { test::BurnCpu(1200 * kSwitchInterval); });
  const double switches = rate.SinceLast(busy.tid()).value_or(0);
  if (switches > 600) GTEST_SKIP() << "this machine preempts a thread " << switches << " times";
  EXPECT_THAT(engine->Description(), Not(HasSubstr("a perf_event adds")));
  engine->Stop();
}

}  // namespace
}  // namespace jprof
