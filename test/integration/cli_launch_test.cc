// jprof record -- COMMAND: the command runs as it does without jprof, and its JVMs are recorded.
#include <unistd.h>

#include <filesystem>
#include <string>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr int kNotRunnable = 126;
constexpr int kNotFound = 127;

class CliLaunchTest : public CliTest {
 protected:
  // Returns a line of shell that runs this program.
  std::string JavaLine(const std::vector<std::string>& program) const {
    std::string line;
    for (const std::string& word : Java(program).argv) line += "'" + word + "' ";
    return line;
  }

  ProcessSpec RecordSpec(std::vector<std::string> options, const std::string& script) const {
    options.insert(options.begin(), "record");
    options.insert(options.end(), {"--", "/bin/sh", "-c", script});
    ProcessSpec spec = JprofSpec(options);
    spec.working_directory = folder();
    return spec;
  }

  ProcessResult Record(const std::vector<std::string>& options, const std::string& script) const {
    return RunProcess(RecordSpec(options, script));
  }
};
JPROF_ON_EVERY_JDK(CliLaunchTest);

TEST_P(CliLaunchTest, TheCommandKeepsStreamsExitCodeAndToolOptions) {
  ProcessSpec spec =
      RecordSpec({"-o", "out.jfr"}, "read word; echo \"got $word, $JAVA_TOOL_OPTIONS\"; " +
                                        JavaLine({"BusyLoop", "1", "300"}) + "; exit 7");
  spec.stdin_text = "something\n";
  spec.env = {{"JAVA_TOOL_OPTIONS", "-Djprof.test=1"}};
  const ProcessResult result = RunProcess(spec);
  EXPECT_EQ(result.exit_code, 7) << result.Describe();
  EXPECT_THAT(result.out, AllOf(HasSubstr("got something, -Djprof.test=1 -agentpath:"),
                                Not(HasSubstr("jprof:"))));
  EXPECT_THAT(result.err, HasSubstr("cpu samples in " + Path("out.jfr")));
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
  EXPECT_GE(SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").size(), 29u);
}

TEST_P(CliLaunchTest, EveryJvmHasAFileAndTheBusiestTheGivenName) {
  const ProcessResult result =
      Record({"-o", "out.jfr"}, JavaLine({"BusyLoop", "1", "200"}) + "& first=$!; " +
                                    JavaLine({"BusyLoop", "1", "900"}) + "; wait; echo $first");
  ASSERT_EQ(result.exit_code, 0) << result.Describe();
  const std::string pid = result.out.substr(result.out.rfind('\n', result.out.size() - 2) + 1);
  const std::string other = "out-" + pid.substr(0, pid.size() - 1) + ".jfr";
  EXPECT_THAT(FilesInFolder(), ElementsAre(other, "out.jfr"));
  const size_t most = SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").size();
  const size_t least = SamplesOf(ReadSound(other), kExecutionSample, "busy-0").size();
  EXPECT_GE(most, 89u);
  EXPECT_GE(least, 19u);
  EXPECT_LT(least, most);
}

TEST_P(CliLaunchTest, EveryJvmHasAFileOfACompressedFormat) {
  const std::string run = JavaLine({"BusyLoop", "1", "200"});
  const ProcessResult result = Record({"-o", "out.html.gz"}, run + "& " + run + "; wait");
  ASSERT_EQ(result.exit_code, 0) << result.Describe();
  EXPECT_THAT(FilesInFolder(),
              ElementsAre(testing::MatchesRegex("out-[0-9]+[.]html[.]gz"), "out.html.gz"));
}

TEST_P(CliLaunchTest, APatternNamesEachJvmThatHasSamples) {
  const ProcessResult result =
      Record({"-i", "1h", "-o", "%p.collapsed"},
             JavaLine({"Hello"}) + "& echo $!; wait; " + JavaLine({"Hello"}) + "& echo $!; wait");
  EXPECT_EQ(result.exit_code, 0) << result.Describe();
  EXPECT_THAT(FilesInFolder(), SizeIs(1)) << "one is kept, to say that there was nothing";
  EXPECT_THAT(result.err, HasSubstr("no samples and no file of short-lived processes: "));
}

TEST_P(CliLaunchTest, JvmsOfOnePidHaveAFileEach) {
  if (geteuid() != 0) GTEST_SKIP() << "a pid namespace is made by root";
  const std::string first_of_namespace = "unshare -pf --mount-proc ";
  const ProcessResult result = Record(
      {"-o", "%p.jfr"}, first_of_namespace + JavaLine({"BusyLoop", "1", "100"}) + "; sleep 1; " +
                            first_of_namespace + JavaLine({"BusyLoop", "1", "100"}));
  EXPECT_EQ(result.exit_code, 0) << result.Describe();
  EXPECT_THAT(FilesInFolder(), ElementsAre("1-1.jfr", "1.jfr")) << result.Describe();
}

TEST_P(CliLaunchTest, JvmsOfOnePidInTheSameSecondHaveAFileEach) {
  if (geteuid() != 0) GTEST_SKIP() << "a pid namespace is made by root";
  const std::string one = "unshare -pf --mount-proc " + JavaLine({"BusyLoop", "1", "100"}) + " & ";
  const ProcessResult result = Record({"-o", "%p.jfr"}, one + one + one + "wait");
  EXPECT_EQ(result.exit_code, 0) << result.Describe();
  EXPECT_THAT(FilesInFolder(), ElementsAre("1-1-2.jfr", "1-1.jfr", "1.jfr")) << result.Describe();
}

TEST_P(CliLaunchTest, RefusesANestedJprofRecord) {
  const ProcessResult result =
      Record({"-o", "outer.jfr"}, CommandLineProgram() + " record -o inner.jfr -- " +
                                      JavaLine({"BusyLoop", "1", "100"}));
  EXPECT_EQ(result.exit_code, 2) << result.Describe();
  EXPECT_THAT(result.err, HasSubstr("JAVA_TOOL_OPTIONS already makes every JVM record"));
  EXPECT_THAT(FilesInFolder(), testing::IsEmpty());
}

TEST_P(CliLaunchTest, AcceptsPathsWithSeparatorsAndQuotes) {
  const std::string name = "a b,c'd\"e%p=f";
  std::filesystem::create_directory(Path(name));
  std::string escaped = name;
  escaped.replace(escaped.find('%'), 1, "%%");
  EXPECT_EQ(Record({"-o", escaped + "/out.html"}, JavaLine({"BusyLoop", "1", "100"})).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(Path(name) + "/out.html"));

  std::filesystem::copy_file(AgentLibrary(), Path("lib prof'iler\".so"));
  const std::vector<std::string> options = {"--library", "lib prof'iler\".so", "-o", "out.jfr"};
  EXPECT_EQ(Record(options, JavaLine({"BusyLoop", "1", "100"})).exit_code, 0);
  EXPECT_FALSE(SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").empty());
}

TEST_P(CliLaunchTest, ForwardsASignalAndKeepsTheRecording) {
  auto record = RunningProcess::Start(
      RecordSpec({"-o", "out.jfr"},
                 JavaLine({"BusyLoop", "1", "100000"}) +
                     "& trap 'kill $!; wait $!; exit $?' TERM; until ls jprof-record-*/*.jfr "
                     ">/dev/null 2>&1; do sleep 0.05; done; echo ready; wait $!"));
  ASSERT_TRUE(record.ok()) << record.error().message();
  ASSERT_TRUE(record.value().WaitForLine("ready").ok());
  record.value().SendSignal(SIGTERM);
  const ProcessResult result = record.value().Wait();
  EXPECT_EQ(result.exit_code, 128 + SIGTERM) << result.Describe();
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
  ReadSound("out.jfr");
}

TEST_P(CliLaunchTest, ADurationEndsTheRecordingAndNotTheCommand) {
  auto record = RunningProcess::Start(
      RecordSpec({"-d", "200ms", "-o", "out.jfr"}, "exec " + JavaLine({"Server", "1", "0"})));
  ASSERT_TRUE(record.ok()) << record.error().message();
  ASSERT_TRUE(record.value().WaitForLine("ready").ok());
  while (!std::filesystem::exists(Path("out.jfr"))) usleep(10'000);
  ReadSound("out.jfr");
  const ProcessResult result = record.value().Wait();  // the end of its input ends the server
  EXPECT_EQ(result.exit_code, 0) << result.Describe();
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
}

TEST_P(CliLaunchTest, ReportsAJvmThatWasKilledBeforeItsFirstChunk) {
  const ProcessResult result =
      Record({"-o", "out.jfr"},
             JavaLine({"BusyLoop", "1", "100000"}) +
                 "& until ls jprof-record-*/*.jfr 2>/dev/null; do sleep 0.05; done; kill -9 $!; "
                 "wait $!");
  EXPECT_EQ(result.exit_code, 128 + SIGKILL) << result.Describe();
  EXPECT_THAT(result.err, HasSubstr("was killed before a chunk of its recording was finished: "
                                    "there are no samples in " +
                                    Path("out.jfr")));
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
  EXPECT_THAT(
      Jprof({"convert", "out.jfr", "out.collapsed"}).err,
      AllOf(HasSubstr("no samples of cpu: the JVM was killed"), Not(HasSubstr("no thread"))));
}

TEST_P(CliLaunchTest, AKilledJvmLeavesItsFinishedChunks) {
  const ProcessResult result = Record(
      {"-o", "out.jfr", "--chunktime", "1s"},
      JavaLine({"BusyLoop", "1", "100000"}) +
          "& until file=$(ls jprof-record-*/*.jfr 2>/dev/null); do sleep 0.05; done; "
          "opening=$(stat -c %s $file); "
          "until test $(stat -c %s $file) -gt $opening; do sleep 0.05; done; kill -9 $!; wait $!");
  EXPECT_EQ(result.exit_code, 128 + SIGKILL) << result.Describe();
  EXPECT_THAT(result.err, HasSubstr("was killed: the chunks that were finished hold "));
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
}

TEST_P(CliLaunchTest, RecordsAJvmThatRunsOutOfMemoryToItsEnd) {
  const ProcessResult result =
      Record({"-o", "out.html", "-i", "10ms"},
             "JAVA_TOOL_OPTIONS=\"$JAVA_TOOL_OPTIONS -XX:+ExitOnOutOfMemoryError -Xmx64m\" " +
                 JavaLine({"OutOfMemory", "large", "300"}));
  EXPECT_EQ(result.exit_code, 3) << result.Describe();
  EXPECT_THAT(result.err, AllOf(HasSubstr(" cpu samples in " + Path("out.html")),
                                Not(HasSubstr("killed")), Not(HasSubstr("warning"))));
  EXPECT_THAT(FilesInFolder(), ElementsAre("out.html"));
}

TEST_P(CliLaunchTest, IgnoresOtherThanRegularFilesInTheFolder) {
  const ProcessResult result = Record({"-o", "out.jfr"},
                                      "cd jprof-record-* && mkdir 7-x.jfr && mkfifo 8-x.jfr && "
                                      "ln -s /etc/passwd 9-x.jfr");
  EXPECT_THAT(result, FailedWith(kNotAJvm, "started no JVM that recorded"));
  EXPECT_FALSE(std::filesystem::exists(Path("out.jfr")));
}

TEST_P(CliLaunchTest, ReportsACommandThatFailsOrStartsNoJvm) {
  EXPECT_THAT(Record({"-o", "out.jfr"}, "true"), FailedWith(kNotAJvm, "started no JVM"));
  EXPECT_THAT(Record({"-o", "out.jfr"}, "exit 3"), FailedWith(3, "started no JVM"));
  EXPECT_THAT(Record({"-o", "out.jfr"}, "kill -15 $$"),
              FailedWith(128 + SIGTERM, "'/bin/sh' ended with signal 15"));
  EXPECT_THAT(Jprof({"record", "--", "no-such-command"}),
              FailedWith(kNotFound, "cannot run 'no-such-command': no such command in PATH"));
  EXPECT_THAT(Jprof({"record", "--", "/etc/passwd"}), FailedWith(kNotRunnable, "Permission"));
  EXPECT_THAT(Jprof({"record", "--library", "none.so", "--", "true"}),
              FailedWith(kLibrary, "none.so"));
  std::filesystem::create_directory(Path("a=b"));
  std::filesystem::copy_file(AgentLibrary(), Path("a=b/libprofiler.so"));
  EXPECT_THAT(Jprof({"record", "--library", "a=b/libprofiler.so", "--", "true"}),
              FailedWith(kLibrary, "behind '='"));
  std::filesystem::remove_all(Path("a=b"));
  EXPECT_THAT(FilesInFolder(), IsEmpty());
}

}  // namespace
}  // namespace jprof::test
