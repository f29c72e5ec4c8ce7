// The profiler does not wake threads that wait, and yet records their time.
#include <algorithm>
#include <map>

#include "integration/server.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

class IdleTest : public JvmTest {};
JPROF_ON_EVERY_JDK(IdleTest);

// Returns the state in which the thread spent most of its time.
std::string LongestState(const Recording& recording, const std::string& thread) {
  std::map<std::string, int64_t> spans;
  for (const Event& sample : SamplesOf(recording, kWallClockSample, thread)) {
    spans[sample.Text("state")] += sample.Number("timeSpan");
  }
  const auto longest = std::max_element(
      spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return longest == spans.end() ? "" : longest->first;
}

// Each signal makes an event loop call its system call again. Without signals it waits in a single
// call.
TEST_P(IdleTest, EventLoopsAreNotWokenAfterTheirFirstSamples) {
  const ProcessResult run = RunProfiled("start,wall=5ms,chunktime=1s,file=" + Path("out.jfr"),
                                        {"EventLoops", "50", "1000", "3000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  EXPECT_EQ(truth.Number("selects"), 0) << "the program has noticed nothing";
  // If each sample woke its thread, there would be 600 switches in each of 50 threads.
  EXPECT_LE(truth.Number("switches.late"), 50) << run.out;
  const Recording recording = ReadSound("out.jfr");
  auto wall = NanosByThread(recording, kWallClockSample, milliseconds(5));
  const auto lives = truth.NumbersOf("wall.");
  ASSERT_EQ(lives.size(), 50u);
  for (const auto& [loop, nanos] : lives) {
    // The profiler knows each thread from before its first statement until the stop.
    EXPECT_GT(wall[loop], nanos - 1e7) << loop;
    EXPECT_EQ(LongestState(recording, loop), "STATE_IN_IO") << loop;
    EXPECT_TRUE(SamplesOf(recording, kWallClockSample, loop).back().HasFrame("EventLoops.loop"))
        << "its stack is in every chunk";
  }
}

TEST_P(IdleTest, EachChunkHasTheStacksOfThreadsThatSleepThroughIt) {
  const ProcessResult run = RunProfiled("start,wall=10ms,chunktime=1s,file=" + Path("out.jfr"),
                                        {"Sleepers", "9", "4500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  auto wall = NanosByThread(recording, kWallClockSample, milliseconds(10));
  const char* const frames[] = {"Sleepers.sleep", "Sleepers.park", "Sleepers.await"};
  for (const auto& [name, nanos] : ProgramOutput(run.out).NumbersOf("wall.")) {
    EXPECT_THAT(wall[name], IsWithin(0.02, nanos)) << name;
    const int way = std::stoi(name.substr(name.find('-') + 1)) % 3;
    const auto samples = SamplesOf(recording, kWallClockSample, name);
    EXPECT_GE(samples.size(), 4u) << "at least one a chunk";
    EXPECT_LE(samples.size(), 30u) << "of 450 intervals";
    double known = 0;
    for (const Event& sample : samples) {
      if (sample.HasFrame(frames[way])) known += static_cast<double>(sample.Number("timeSpan"));
    }
    EXPECT_GT(known, 0.95 * nanos) << name;
  }
}

TEST_P(IdleTest, TheStateSaysForWhatAThreadWaits) {
  if (jdk().major == 8) GTEST_SKIP() << "JDK 8 does not export for what a thread waits";
  const ProcessResult sleepers =
      RunProfiled("start,wall=10ms,file=" + Path("sleepers.jfr"), {"Sleepers", "3", "1500"});
  ASSERT_EQ(sleepers.exit_code, 0) << sleepers.Describe();
  const Recording recording = ReadSound("sleepers.jfr");
  EXPECT_EQ(LongestState(recording, "sleeper-0"), "STATE_SLEEPING");
  EXPECT_EQ(LongestState(recording, "sleeper-1"), "STATE_PARKED");
  EXPECT_EQ(LongestState(recording, "sleeper-2"), "STATE_IN_OBJECT_WAIT");
  const ProcessResult contended =
      RunProfiled("start,wall=10ms,file=" + Path("contended.jfr"), {"Contended", "1500"});
  ASSERT_EQ(contended.exit_code, 0) << contended.Describe();
  EXPECT_EQ(LongestState(ReadSound("contended.jfr"), "blocked-0"),
            "STATE_BLOCKED_ON_MONITOR_ENTER");
}

// The dump closes the span of a sleeping thread in the middle of its sleep.
TEST_P(IdleTest, ADumpHasTheTimeOfSleepingThreads) {
  if (jdk().major == 8) GTEST_SKIP() << "jcmd of JDK 8 has no JVMTI.agent_load";
  auto server = ServerProcess::Start(
      Java({"Server", "1", "2"}, {AgentArgument("start,wall=20ms,file=" + Path("out.jfr"))}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  server.value().AwaitCpu(2e9);
  EXPECT_TRUE(Attach(server.value().pid(), "dump").Accepted());
  auto wall = NanosByThread(ReadSound("out.jfr"), kWallClockSample, milliseconds(20));
  EXPECT_GT(wall["sleeper-0"], 1.8e9);
  EXPECT_EQ(server.value().Quit().exit_code, 0);
}

}  // namespace
}  // namespace jprof::test
