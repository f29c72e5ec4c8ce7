// The commands of jprof on a running JVM.
#include <csignal>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CliCommandTest : public CliTest {
 protected:
  CliCommandTest() : server_(ServerProcess::Start(Java({"Server", "1", "2"}))) {}

  void SetUp() override { ASSERT_TRUE(server_.ok()) << server_.error().message(); }

  ServerProcess& server() { return server_.value(); }
  pid_t pid() const { return server_.value().pid(); }

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

TEST_P(CliCommandTest, StartsWatchesDumpsAndStopsARecording) {
  EXPECT_THAT(JprofOn(pid(), {"status"}), Printed("state     idle"));
  EXPECT_THAT(JprofOn(pid(), {"start", "-e", "cpu,wall", "-o", "out.jfr"}),
              AllOf(Printed("recording cpu every 10 ms by thread timers (kernel tick "),
                    Printed("), wall every 50 ms to " + Path("out.jfr"))));
  server().AwaitCpu(0.3 * kSecond);
  EXPECT_EQ(ReadSound("out.jfr").Count(kExecutionSample), 0);  // no chunk is sealed yet

  EXPECT_THAT(JprofOn(pid(), {"dump"}), Printed("dumped: "));
  const auto dumped = SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").size();
  EXPECT_GE(dumped, 29u);
  const ProcessResult status = JprofOn(pid(), {"status"});
  const std::vector<std::string> lines = {"state     recording\n",
                                          "engines   cpu every 10 ms by thread timers (",
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

TEST_P(CliCommandTest, AnInterruptedRecordKeepsItsSamples) {
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

TEST_P(CliCommandTest, ARecordWhoseJvmEndsKeepsItsSamples) {
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

TEST_P(CliCommandTest, AKilledJvmLeavesFinishedChunksAndItsOwnCode) {
  ProcessSpec spec = JprofSpec({"record", "-d", "1h", "-o", "out.jfr", std::to_string(pid())});
  spec.working_directory = folder();
  auto record = RunningProcess::Start(spec);
  ASSERT_TRUE(record.ok()) << record.error().message();
  AwaitRecording(pid());
  while (!std::filesystem::exists(Path("out.jfr"))) server().AwaitCpu(0.01 * kSecond);
  kill(pid(), SIGKILL);
  const ProcessResult result = record.value().Wait();
  EXPECT_THAT(result, FailedWith(7, "ended before "));
  if (result.err.find("ended before it answered") == std::string::npos) {
    EXPECT_THAT(result.err, HasSubstr("out.jfr has no samples; --chunktime"));
  }
  EXPECT_THAT(FilesInFolder(), testing::ElementsAre("out.jfr"));
  EXPECT_EQ(ReadSound("out.jfr").Count("jdk.JVMInformation"), 1);
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

// Returns what bash offers to complete the last of these words.
std::vector<std::string> Completed(const std::string& words) {
  ProcessSpec spec;
  spec.argv = {"/bin/bash", "-c",
               "source <(\"$0\" completion bash); COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
               "_jprof; echo \"${COMPREPLY[@]}\"",
               CommandLineProgram()};
  std::istringstream given(words);
  for (std::string word; given >> word;) spec.argv.push_back(word == "''" ? "" : word);
  const ProcessResult result = RunProcess(spec);
  EXPECT_EQ(result.exit_code, 0) << result.Describe();
  EXPECT_EQ(result.err, "");
  std::istringstream out(result.out);
  return {std::istream_iterator<std::string>(out), {}};
}

TEST(CliCompletionTest, BashCompletesCommandsOptionsAndTheirValues) {
  using testing::Contains;
  EXPECT_THAT(Completed("jprof rec"), ElementsAre("record"));
  EXPECT_THAT(Completed("jprof record --ev"), ElementsAre("--event"));
  EXPECT_THAT(Completed("jprof record -e ''"), AllOf(Contains("cpu"), Contains("wall")));
  EXPECT_THAT(Completed("jprof start --event w"), ElementsAre("wall"));
  EXPECT_THAT(Completed("jprof start --event = w"), ElementsAre("wall"));
  EXPECT_THAT(Completed("jprof start --signal ="), ElementsAre("SIGPROF", "SIGSTKFLT", "SIGPWR"));
  EXPECT_THAT(Completed("jprof record -d ''"), IsEmpty()) << "a time is no choice";
}

}  // namespace
}  // namespace jprof::test
