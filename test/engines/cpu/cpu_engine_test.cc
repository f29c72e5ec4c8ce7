#include "engines/cpu/cpu_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>

#include "base/engine_signals.h"
#include "engines/engine_world.h"
#include "support/cpu_clock.h"
#include "support/live_thread.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using test::BurnCpu;
using test::CpuNanosOf;
using test::LiveThread;
using test::SleepThrough;
using test::ThreadTotals;
using testing::HasSubstr;

constexpr Nanos kInterval = 1'000'000;

void ForeignHandler(int) {}

struct sigaction ActionOf(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action;
}

class CpuEngineTest : public test::EngineTest {
 protected:
  CpuEngineTest() : EngineTest(kNanosPerSecond) {}

  std::unique_ptr<Engine> Started() { return StartEngine<CpuEngine>(ByTimers()); }

  static CpuChoice ByTimers() { return {CpuTrigger::kThreadTimers, kInterval, "what was chosen"}; }
};

TEST_F(CpuEngineTest, CreditsEachThreadWithItsCpuTime) {
  if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer keeps one of several pending signals";
  LiveThread heavy;
  LiveThread light;
  LiveThread idle;
  Rescan();
  const std::unique_ptr<Engine> engine = Started();
  const Nanos heavy_before = CpuNanosOf(heavy.handle());
  const Nanos light_before = CpuNanosOf(light.handle());
  heavy.Start([] { BurnCpu(1000 * kInterval); });
  light.Run([] { BurnCpu(500 * kInterval); });
  heavy.Finish();
  const Nanos heavy_ns = CpuNanosOf(heavy.handle()) - heavy_before;
  const Nanos light_ns = CpuNanosOf(light.handle()) - light_before;
  engine->Stop();
  auto totals = DrainTotals();
  const auto credited = [&](LiveThread& thread) {
    return static_cast<double>(totals[SerialOf(thread.tid())].intervals) * 1e6;
  };
  EXPECT_NEAR(credited(heavy) / static_cast<double>(heavy_ns), 1.0, 0.05);
  EXPECT_NEAR(credited(light) / static_cast<double>(light_ns), 1.0, 0.05);
  EXPECT_LE(credited(idle), 1e6);
  EXPECT_EQ(world_.TakeAllLost(), 0u);
}

TEST_F(CpuEngineTest, AThreadThatStartsLaterIsSampledToo) {
  const std::unique_ptr<Engine> engine = Started();
  LiveThread java;
  int env = 0;
  java.Run([&] {
    registry_.OnJavaThreadStart(&env, {});
    BurnCpu(100 * kInterval);
  });
  const uint32_t serial = SerialOf(java.tid());
  EXPECT_GT(DrainTotals()[serial].samples, 0u);
  java.Run([&] { registry_.OnJavaThreadEnd(nullptr); });
  DrainTotals();
  java.Run([&] { BurnCpu(50 * kInterval); });
  EXPECT_EQ(DrainTotals()[serial].samples, 0u) << "its timer is gone";
}

TEST_F(CpuEngineTest, StopEndsSamplesAndRestoresTheSignal) {
  LiveThread busy;
  Rescan();
  const std::unique_ptr<Engine> engine = Started();
  busy.Start([] { BurnCpu(100 * kInterval); });
  SleepThrough(30'000'000);
  engine->Stop();
  EXPECT_EQ(ActionOf(kCpuSignal).sa_handler, SIG_DFL);
  SleepThrough(10'000'000);  // gives running handlers time to finish
  DrainTotals();
  busy.Finish();
  busy.Run([] { BurnCpu(20 * kInterval); });
  EXPECT_TRUE(DrainTotals().empty());
  engine->Stop();
}

TEST_F(CpuEngineTest, RefusesASignalThatAnotherHandlerUses) {
  signal(kCpuSignal, ForeignHandler);
  const Status started = CpuEngine(registry_, off_thread_, ByTimers()).Start();
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(started.error().message(), HasSubstr("is handled already, by "));
  EXPECT_EQ(ActionOf(kCpuSignal).sa_handler, ForeignHandler);
  signal(kCpuSignal, SIG_DFL);
}

TEST_F(CpuEngineTest, SamplesByAnotherSignalAndLeavesSigprofAlone) {
  if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer keeps one of several pending signals";
  signal(SIGPROF, ForeignHandler);
  for (const CpuTrigger trigger : {CpuTrigger::kThreadTimers, CpuTrigger::kPerfEvents}) {
    LiveThread busy;
    Rescan();
    CpuChoice choice{trigger, kInterval, "what was chosen"};
    choice.signal = SIGSTKFLT;
    const std::unique_ptr<Engine> engine = StartEngine<CpuEngine>(choice);
    const Nanos before = CpuNanosOf(busy.handle());
    busy.Run([] { BurnCpu(300 * kInterval); });
    const Nanos burnt_ns = CpuNanosOf(busy.handle()) - before;
    EXPECT_EQ(ActionOf(SIGPROF).sa_handler, ForeignHandler);
    engine->Stop();
    EXPECT_EQ(ActionOf(SIGSTKFLT).sa_handler, SIG_DFL);
    const ThreadTotals totals = DrainTotals()[SerialOf(busy.tid())];
    EXPECT_NEAR(static_cast<double>(totals.intervals) * 1e6 / static_cast<double>(burnt_ns), 1.0,
                0.05);
    EXPECT_GE(totals.samples, 3u) << "at ticks, not at the stop alone";
  }
  signal(SIGPROF, SIG_DFL);
}

TEST_F(CpuEngineTest, ReportsASignalTakenDuringTheRecording) {
  const std::unique_ptr<Engine> engine = Started();
  signal(kCpuSignal, ForeignHandler);
  EXPECT_THAT(engine->Description(), HasSubstr("; but now SIGPROF is handled already, by "));
  testing::internal::CaptureStderr();
  engine->Stop();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("SIGPROF is handled already, by "));
  EXPECT_EQ(ActionOf(kCpuSignal).sa_handler, ForeignHandler);
  signal(kCpuSignal, SIG_DFL);
}

TEST_F(CpuEngineTest, ItDescribesItself) {
  EXPECT_EQ(Started()->Description(), "cpu every 1 ms by what was chosen");
}

}  // namespace
}  // namespace jprof
