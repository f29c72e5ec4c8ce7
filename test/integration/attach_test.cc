// Profiles a program that is already running, with jcmd PID JVMTI.agent_load.

#include "integration/server.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class AttachTest : public JvmTest {};
JPROF_ON_EVERY_JDK(AttachTest);

TEST_P(AttachTest, CpuSamplesAddUpToTheClocksBetweenStartAndStop) {
  auto server = ServerProcess::Start(Java({"Server", "2", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();

  auto before_start = server.value().CpuNanos();
  const AttachResult start = Attach(pid, "start,event=cpu,file=" + Path("out.jfr"));
  ASSERT_TRUE(start.Accepted()) << start.output;
  auto after_start = server.value().CpuNanos();
  server.value().AwaitCpu(2 * kSecond);
  EXPECT_EQ(ReadSound("out.jfr").Count(kExecutionSample), 0);  // no chunk is sealed yet
  auto before_stop = server.value().CpuNanos();
  const AttachResult stop = Attach(pid, "stop");
  EXPECT_TRUE(stop.Accepted()) << stop.output;
  auto after_stop = server.value().CpuNanos();

  EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
  auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(10));
  for (const std::string busy : {"busy-0", "busy-1"}) {
    EXPECT_GE(cpu[busy], 0.95 * (before_stop[busy] - after_start[busy])) << busy;
    EXPECT_LE(cpu[busy], 1.05 * (after_stop[busy] - before_start[busy])) << busy;
  }
  const ProcessResult end = server.value().Quit();
  EXPECT_EQ(end.exit_code, 0) << end.Describe();
  EXPECT_THAT(AgentLog(end.err).lines(),
              ElementsAre(HasSubstr(Path("out.jfr")), HasSubstr(Path("out.jfr"))));
}

TEST_P(AttachTest, ThreadsStartedBeforeTheAttachHaveTheirNames) {
  auto server = ServerProcess::Start(Java({"Server", "1", "3"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  Attach(server.value().pid(), "start,event=wall,interval=20ms,file=" + Path("out.jfr"));
  server.value().AwaitCpu(0.5 * kSecond);
  Attach(server.value().pid(), "stop");
  const Recording recording = ReadSound("out.jfr");
  for (const std::string name : {"main", "busy-0", "sleeper-0", "sleeper-1", "sleeper-2"}) {
    const auto samples = SamplesOf(recording, kWallClockSample, name);
    ASSERT_FALSE(samples.empty()) << name;
    EXPECT_EQ(samples[0].Text("sampledThread.group"), "main") << name;
    EXPECT_GT(samples[0].Number("sampledThread.javaThreadId"), 0) << name;
  }
  EXPECT_EQ(server.value().Quit().exit_code, 0);
}

TEST_P(AttachTest, RefusesAnUnwritableFileAndKeepsTheProgramRunning) {
  auto server = ServerProcess::Start(Java({"Server", "0", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const std::vector<std::string> files = {Path("missing/out.jfr"), folder(), "/proc/out.jfr"};
  for (const std::string& file : files) {
    const AttachResult attach = Attach(server.value().pid(), "start,event=cpu,file=" + file);
    EXPECT_TRUE(attach.Refused()) << file << "\n" << attach.output;
  }
  const ProcessResult end = server.value().Quit();
  EXPECT_EQ(end.exit_code, 0) << end.Describe();
  EXPECT_THAT(AgentLog(end.err).lines(), SizeIs(files.size())) << end.err;
}

TEST_P(AttachTest, AProgramThatEndsLeavesACompleteRecording) {
  auto server = ServerProcess::Start(Java({"Server", "1", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  Attach(server.value().pid(), "start,event=cpu,file=" + Path("out.jfr"));
  server.value().AwaitCpu(0.3 * kSecond);
  EXPECT_EQ(server.value().Quit().exit_code, 0);
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
  EXPECT_GE(SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").size(), 29u);
}

}  // namespace
}  // namespace jprof::test
