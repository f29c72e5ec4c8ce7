// The commands of jprof on a JVM that runs.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr double kSecond = 1e9;

class CliCommandTest : public CliTest {
 protected:
  CliCommandTest() : server_(ServerProcess::Start(Java({"Server", "1", "2"}))) {}

  void SetUp() override { ASSERT_TRUE(server_.ok()) << server_.error().message(); }

  ServerProcess& server() { return server_.value(); }
  pid_t pid() const { return server_.value().pid(); }

  std::string Content(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Result<ServerProcess> server_;
};
JPROF_ON_EVERY_JDK(CliCommandTest);

TEST_P(CliCommandTest, RecordLeavesTheRecordingWhereItIsWanted) {
  EXPECT_THAT(JprofOn(pid(), {"record", "-d", "500ms", "-o", "out.jfr"}), Printed(Path("out.jfr")));
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
  EXPECT_FALSE(SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").empty());
  EXPECT_THAT(AgentLog(server().Quit().err).lines(), IsEmpty());
}

TEST_P(CliCommandTest, RecordMakesOtherFormatsOnTheWay) {
  EXPECT_THAT(JprofOn(pid(), {"record", "-d", "300ms", "-o", "out.collapsed"}),
              Printed("out.collapsed"));
  EXPECT_THAT(JprofOn(pid(), {"record", "-d", "300ms", "-e", "cpu,wall", "-o", "out.html"}),
              Printed("open it in a browser"));
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.collapsed", "out.html"));
  EXPECT_THAT(Content("out.collapsed"), HasSubstr("Work.spin"));
  EXPECT_THAT(Content("out.html"), HasSubstr("Work"));
}

TEST_P(CliCommandTest, ARecordingIsStartedWatchedDumpedAndStopped) {
  EXPECT_THAT(JprofOn(pid(), {"status"}), Printed("state     idle"));
  EXPECT_THAT(JprofOn(pid(), {"start", "-e", "cpu,wall", "-o", "out.jfr"}),
              Printed("recording cpu every 10 ms, wall every 50 ms to " + Path("out.jfr")));
  server().AwaitCpu(0.3 * kSecond);
  EXPECT_EQ(ReadSound("out.jfr").Count(kExecutionSample), 0);  // nothing is sealed yet

  EXPECT_THAT(JprofOn(pid(), {"dump"}), Printed("dumped: "));
  const auto dumped = SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").size();
  EXPECT_GE(dumped, 29u);
  const ProcessResult status = JprofOn(pid(), {"status"});
  const std::vector<std::string> lines = {"state     recording\n",
                                          "engines   cpu every 10 ms, wall",
                                          "file      " + Path("out.jfr"), "lost      0 lost"};
  for (const std::string& line : lines) {
    EXPECT_THAT(status, Printed(line));
  }
  server().AwaitCpu(0.3 * kSecond);
  EXPECT_THAT(JprofOn(pid(), {"stop"}), Printed("stopped: "));
  EXPECT_GE(SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").size(), dumped + 29);
  EXPECT_THAT(JprofOn(pid(), {"status"}), Printed("state     idle"));
  EXPECT_THAT(AgentLog(server().Quit().err).lines(), IsEmpty());
}

TEST_P(CliCommandTest, TheAgentConvertsAtDumpAndAtStop) {
  EXPECT_EQ(JprofOn(pid(), {"start", "-o", "out.collapsed"}).exit_code, 0);
  server().AwaitCpu(0.1 * kSecond);
  EXPECT_EQ(JprofOn(pid(), {"dump"}).exit_code, 0);
  EXPECT_THAT(Content("out.collapsed"), HasSubstr("Work.spin"));
  EXPECT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.collapsed"));
}

TEST_P(CliCommandTest, ATimeoutEndsARecordingByItself) {
  EXPECT_EQ(JprofOn(pid(), {"start", "--timeout", "200ms", "-o", "out.jfr"}).exit_code, 0);
  while (JprofOn(pid(), {"status"}).out.find("state     idle") == std::string::npos) {
    server().AwaitCpu(0.05 * kSecond);
  }
  ReadSound("out.jfr");
  EXPECT_THAT(JprofOn(pid(), {"start", "-o", "second.jfr"}), Printed("second.jfr"));
  EXPECT_THAT(JprofOn(pid(), {"stop"}), Printed("second.jfr"));
  EXPECT_EQ(AgentLog(server().Quit().err).LinesWith("stopped: "), 1);
}

TEST_P(CliCommandTest, AnInterruptedRecordKeepsWhatItHas) {
  ProcessSpec spec = JprofSpec({"record", "-d", "1h", "-o", "out.jfr", std::to_string(pid())});
  spec.working_directory = folder();
  auto record = RunningProcess::Start(spec);
  ASSERT_TRUE(record.ok()) << record.error().message();
  AwaitRecording(pid());
  server().AwaitCpu(0.2 * kSecond);
  record.value().SendSignal(SIGINT);
  EXPECT_THAT(record.value().Wait(), Printed("out.jfr"));
  EXPECT_FALSE(SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").empty());
  EXPECT_THAT(JprofOn(pid(), {"status"}), Printed("state     idle"));
}

TEST_P(CliCommandTest, ARecordWhoseJvmEndsKeepsWhatItHas) {
  ProcessSpec spec =
      JprofSpec({"record", "-d", "1h", "-o", "out.collapsed", std::to_string(pid())});
  spec.working_directory = folder();
  auto record = RunningProcess::Start(spec);
  ASSERT_TRUE(record.ok()) << record.error().message();
  AwaitRecording(pid());
  server().AwaitCpu(0.2 * kSecond);
  EXPECT_EQ(server().Quit().exit_code, 0);
  EXPECT_THAT(record.value().Wait(), Printed("its recording is complete"));
  EXPECT_THAT(Content("out.collapsed"), HasSubstr("Work.spin"));
}

TEST_P(CliCommandTest, AKilledJvmLeavesWhatWasFinishedAndACodeOfItsOwn) {
  ProcessSpec spec = JprofSpec({"record", "-d", "1h", "-o", "out.jfr", std::to_string(pid())});
  spec.working_directory = folder();
  auto record = RunningProcess::Start(spec);
  ASSERT_TRUE(record.ok()) << record.error().message();
  AwaitRecording(pid());
  kill(pid(), SIGKILL);
  // Before the start was answered or after it.
  EXPECT_THAT(record.value().Wait(), FailedWith(7, "ended before it"));
  if (std::filesystem::exists(Path("out.jfr"))) {
    EXPECT_EQ(ReadSound("out.jfr").Count("jdk.JVMInformation"), 1);
  }
}

TEST_P(CliCommandTest, ListShowsTheJvmAndWhetherItIsProfiled) {
  const std::string line = std::to_string(pid());
  const auto row = [&] {
    const std::string table = Jprof({"list"}).out;
    const size_t at = table.find("\n" + line + " ") + 1;
    return table.substr(at, table.find('\n', at) - at);
  };
  EXPECT_THAT(row(), HasSubstr("Server"));
  EXPECT_THAT(row(), HasSubstr(std::to_string(jdk().major) + "."));
  EXPECT_THAT(row(), Not(HasSubstr("recording")));
  EXPECT_EQ(JprofOn(pid(), {"start", "-o", "out.jfr"}).exit_code, 0);
  EXPECT_THAT(row(), HasSubstr("recording"));
  EXPECT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
  EXPECT_THAT(row(), HasSubstr("loaded"));
}

TEST_P(CliCommandTest, ConvertTurnsARecordingIntoOtherFormats) {
  EXPECT_EQ(JprofOn(pid(), {"record", "-d", "300ms", "-o", "out.jfr"}).exit_code, 0);
  EXPECT_THAT(Jprof({"convert", "out.jfr", "out.html"}), Printed("samples"));
  EXPECT_THAT(Jprof({"convert", "out.jfr", "out.collapsed"}), Printed("samples"));
  EXPECT_THAT(Content("out.collapsed"), HasSubstr("Work.spin"));
  EXPECT_THAT(Jprof({"convert", "out.jfr", "out.svg"}), FailedWith(2, ".html"));
  EXPECT_THAT(Jprof({"convert", "missing.jfr", "out.html"}), FailedWith(10, "missing.jfr"));
}

}  // namespace
}  // namespace jprof::test
