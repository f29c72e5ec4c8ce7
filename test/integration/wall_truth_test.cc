// profiler.WallClockSample: the number of samples times the interval is the elapsed time.
#include "integration/server.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

class WallTruthTest : public JvmTest {};
JPROF_ON_EVERY_JDK(WallTruthTest);

TEST_P(WallTruthTest, AHundredSleepersSleepAsLongAsTheySay) {
  const ProcessResult run =
      RunProfiled("start,wall=20ms,file=" + Path("out.jfr"), {"Sleepers", "100", "4000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  auto wall = NanosByThread(recording, kWallClockSample, milliseconds(20));
  const auto truth = ProgramOutput(run.out).NumbersOf("wall.");
  ASSERT_EQ(truth.size(), 100u);
  for (const auto& [name, nanos] : truth) EXPECT_THAT(wall[name], IsWithin(0.05, nanos)) << name;
  EXPECT_EQ(AgentLog(run.err).LastCount("lost"), 0) << run.err;
}

TEST_P(WallTruthTest, TimeSpansAndSamplesAgree) {
  const ProcessResult run =
      RunProfiled("start,wall=20ms,file=" + Path("out.jfr"), {"Sleepers", "9", "1000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  for (int i = 0; i < 9; ++i) {
    double spans = 0;
    double samples = 0;
    for (const Event& event :
         SamplesOf(recording, kWallClockSample, "sleeper-" + std::to_string(i))) {
      spans += static_cast<double>(event.Number("timeSpan"));
      samples += static_cast<double>(event.Number("samples"));
    }
    EXPECT_GT(spans, 0.9 * kSecond) << i;
    EXPECT_NEAR(spans, samples * 20e6, 20e6) << i;
  }
}

TEST_P(WallTruthTest, ThreadsThatWaitWaitAndBusyThreadsRun) {
  if (jdk().major == 8) GTEST_SKIP() << "JDK 8 does not export for what a thread waits";
  auto server = ServerProcess::Start(
      Java({"Server", "1", "2"}, {AgentArgument("start,wall=10ms,file=" + Path("out.jfr"))}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  server.value().AwaitCpu(kSecond);
  EXPECT_EQ(server.value().Quit().exit_code, 0);
  const Recording recording = ReadSound("out.jfr");
  for (const std::string sleeper : {"sleeper-0", "sleeper-1"}) {
    const auto samples = SamplesOf(recording, kWallClockSample, sleeper);
    ASSERT_FALSE(samples.empty());
    EXPECT_EQ(samples.back().Text("state"), "STATE_IN_OBJECT_WAIT") << "it joins a thread";
  }
  double running = 0;
  double all = 0;
  for (const Event& sample : SamplesOf(recording, kWallClockSample, "busy-0")) {
    const auto intervals = static_cast<double>(sample.Number("samples"));
    const std::string state = sample.Text("state");
    if (state == "STATE_RUNNABLE" || state == "STATE_WAITING_FOR_CPU") running += intervals;
    all += intervals;
  }
  EXPECT_GT(running, 0.9 * all);
}

TEST_P(WallTruthTest, WallAloneShowsWhichThreadsRan) {
  const ProcessResult run =
      RunProfiled("start,wall=10ms,file=" + Path("out.jfr"), {"BusyLoop", "1", "1000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  int64_t running = 0;
  for (const Event& sample : SamplesOf(recording, kWallClockSample, "busy-0")) {
    if (sample.Text("state") == "STATE_RUNNABLE") running += 1;
  }
  const auto execution = SamplesOf(recording, kExecutionSample, "busy-0");
  EXPECT_GT(running, 0);
  EXPECT_GE(static_cast<double>(execution.size()), 0.9 * static_cast<double>(running));
  int64_t in_hot_methods = 0;
  for (const Event& sample : execution) {
    if (sample.HasFrame("BusyLoop.run")) in_hot_methods += 1;
  }
  EXPECT_GE(static_cast<double>(in_hot_methods), 0.9 * static_cast<double>(execution.size()));
}

TEST_P(WallTruthTest, CpuAndWallTogetherAreBothTrue) {
  const ProcessResult run =
      RunProfiled("start,cpu=10ms,wall=20ms,file=" + Path("out.jfr"), {"BusyLoop", "2", "1500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  auto cpu = NanosByThread(recording, kExecutionSample, milliseconds(10));
  auto wall = NanosByThread(recording, kWallClockSample, milliseconds(20));
  const ProgramOutput truth(run.out);
  for (const std::string name : {"busy-0", "busy-1"}) {
    EXPECT_THAT(cpu[name], IsWithin(0.05, truth.Number("cpu." + name))) << name;
    EXPECT_THAT(wall[name], IsWithin(0.05, truth.Number("wall." + name))) << name;
  }
}

TEST_P(WallTruthTest, TheDefaultIntervalIs50ms) {
  const ProcessResult run =
      RunProfiled("start,event=wall,file=" + Path("out.jfr"), {"Sleepers", "3", "2000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  auto wall = NanosByThread(ReadSound("out.jfr"), kWallClockSample, milliseconds(50));
  const auto truth = ProgramOutput(run.out).NumbersOf("wall.");
  ASSERT_EQ(truth.size(), 3u);
  for (const auto& [name, nanos] : truth) EXPECT_THAT(wall[name], IsWithin(0.05, nanos)) << name;
}

}  // namespace
}  // namespace jprof::test
