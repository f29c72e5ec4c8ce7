// The output of jprof --json commands about JVMs is valid JSON, and is true.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class CliJsonTest : public CliServerTest {
 protected:
  // Returns what Python prints for `expression`, in which d is the object in the last line of
  // `json`. If that line is not JSON, returns Python's error.
  std::string Of(const std::string& json, const std::string& expression) const {
    std::ofstream(Path("json")) << json;
    ProcessSpec spec;
    spec.argv = {"/usr/bin/python3", "-c",
                 "import json, sys\n"
                 "d = json.loads(open(sys.argv[1], encoding='utf-8').read().splitlines()[-1])\n"
                 "print(" +
                     expression + ", end='')",
                 Path("json")};
    const ProcessResult run = RunProcess(spec);
    return run.exit_code == 0 ? run.out : run.Describe();
  }

  // Returns an expression for the row of `jprof list --json` about a process.
  static std::string RowOf(pid_t pid) {
    return "[row for row in d['rows'] if row['pid'] == " + std::to_string(pid) + "][0]";
  }
};
JPROF_ON_NEWEST_JDK(CliJsonTest);

TEST_P(CliJsonTest, TheListHasTheFieldsOfTheTable) {
  const std::string list = Jprof({"list", "--json"}).out;
  EXPECT_EQ(Of(list, RowOf(pid()) + "['agentLoaded']"), "False") << list;
  EXPECT_EQ(Of(list, RowOf(pid()) + "['obstacle']"), "None") << list;
  const std::string version = Of(list, RowOf(pid()) + "['jdk']");
  const std::string program = Of(list, RowOf(pid()) + "['program']");
  EXPECT_THAT(Jprof({"list"}).out,
              ContainsRegex("\n *" + std::to_string(pid()) + " .* " + version + " .*" + program));
  ASSERT_EQ(JprofOn(pid(), {"start", "-o", Path("a.jfr")}).exit_code, 0);
  EXPECT_EQ(Of(Jprof({"list", "--json"}).out, RowOf(pid()) + "['recording']"), "True");
  ASSERT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
  EXPECT_EQ(Of(Jprof({"list", "--json"}).out, RowOf(pid()) + "['recording']"), "False");
}

TEST_P(CliJsonTest, TheListSaysWhyAJvmCannotBeAttachedTo) {
  auto closed = ServerProcess::Start(Java({"Server", "1", "0"}, {"-XX:+DisableAttachMechanism"}));
  auto stopped = ServerProcess::Start(Java({"Server", "1", "0"}));
  ASSERT_TRUE(closed.ok() && stopped.ok());
  kill(stopped.value().pid(), SIGSTOP);
  const std::string list = Jprof({"list", "--json"}).out;
  kill(stopped.value().pid(), SIGCONT);
  EXPECT_THAT(Of(list, RowOf(stopped.value().pid()) + "['obstacle']"), HasSubstr("is stopped"));
  // Any other command gives the same reason.
  EXPECT_EQ(JprofOn(closed.value().pid(), {"status"}).err,
            "jprof: " + Of(list, RowOf(closed.value().pid()) + "['obstacle']") + "\n");
}

TEST_P(CliJsonTest, TheListOfAnotherUserMarksUnknownFields) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be two users";
  ProcessSpec spec = JprofSpec({"list", "--json"});
  spec.argv.insert(spec.argv.begin(), {"/usr/sbin/runuser", "-u", "nobody", "--"});
  const std::string list = RunProcess(spec).out;
  EXPECT_EQ(Of(list, "[" + RowOf(pid()) + "[k] for k in ('agentLoaded', 'recording', 'jdk')]"),
            "[None, None, None]")
      << list;
  EXPECT_THAT(Of(list, RowOf(pid()) + "['obstacle']"),
              HasSubstr("run jprof as that user or as root"));
}

TEST_P(CliJsonTest, TheListOfHostileNamesIsJson) {
  const std::string hostile = "a\"b\\c\nd\x1b[31m<script>\xff\xe2\"\xe2\x80\xae";
  const std::vector<std::string> java = Java({"Server", "1", "0", hostile}).argv;
  ProcessSpec spec;
  spec.argv = {"/bin/bash",       "-c",   "name=$1; shift; exec -a \"$name\" \"$@\"", "bash",
               "/srv/" + hostile, java[0]};
  spec.argv.insert(spec.argv.end(), java.begin() + 1, java.end());
  auto server = ServerProcess::Start(spec);
  ASSERT_TRUE(server.ok()) << server.error().message();
  const std::string list = Jprof({"list", "--json"}).out;
  EXPECT_THAT(Of(list, "ascii(" + RowOf(server.value().pid()) + "['program'])"),
              HasSubstr(R"(a"b\\c\nd\x1b[31m<script>\ufffd\ufffd"\u202e)"))
      << list;
}

TEST_P(CliJsonTest, TheStatusDescribesTheRunningRecording) {
  EXPECT_EQ(Of(JprofOn(pid(), {"status", "--json"}).out, "d['state']"), "idle");
  ASSERT_EQ(JprofOn(pid(), {"start", "-e", "wall,alloc", "-o", Path("a.jfr")}).exit_code, 0);
  ASSERT_EQ(JprofOn(pid(), {"dump"}).exit_code, 0);
  const std::string status = JprofOn(pid(), {"status", "--json"}).out;
  EXPECT_EQ(Of(status, "d['state']"), "recording") << status;
  EXPECT_EQ(Of(status, "d['file']"), Path("a.jfr"));
  EXPECT_THAT(Of(status, "d['engines']"), HasSubstr("['wall every 50 ms', 'alloc every "));
  EXPECT_EQ(Of(status, "d['recorded']['wall']['samples'] == d['samples'] > 0"), "True") << status;
  EXPECT_EQ(Of(status, "0 < d['elapsedNs'] < 3600e9 and d['startTime'] > 1.7e18"), "True");
  EXPECT_EQ(Of(status, "d['threads']['java'] > 1 and d['memoryBytes'] > 1000"), "True") << status;
  EXPECT_EQ(Of(status, "d['fileBytes'] > 1000 and d['lostSamples'] == 0"), "True") << status;
  ASSERT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
}

TEST_P(CliJsonTest, ARecordingReportsItsFileAndContents) {
  const ProcessResult record =
      JprofOn(pid(), {"record", "--json", "-d", "1s", "-e", "wall", "-o", "a.jfr"});
  ASSERT_EQ(record.exit_code, 0) << record.Describe();
  EXPECT_EQ(Of(record.out, "d['file']"), Path("a.jfr"));
  const int64_t samples = ReadSound("a.jfr").Sum(kWallClockSample, "samples");
  EXPECT_EQ(Of(record.out, "d['samples']"), std::to_string(samples)) << record.Describe();
  EXPECT_EQ(Of(record.out, "d['outcome'].startswith('stopped: ' + str(d['samples']))"), "True");
  EXPECT_THAT(JprofOn(pid(), {"record", "--json", "-d", "1s", "-o", "/dev/stdout"}),
              FailedWith(kUsage, "--json prints on standard output"));
}

TEST_P(CliJsonTest, PrintsTheProgramsOutputBeforeTheObject) {
  std::vector<std::string> command = {"record", "--json", "-o", "l.jfr", "--"};
  const std::vector<std::string> java = Java({"BusyLoop", "1", "300"}).argv;
  command.insert(command.end(), java.begin(), java.end());
  const ProcessResult record = Jprof(command);
  ASSERT_EQ(record.exit_code, 0) << record.Describe();
  EXPECT_THAT(record.out, HasSubstr("cpu."));
  EXPECT_EQ(Of(record.out, "d['exitCode'], len(d['recordings'])"), "0 1") << record.Describe();
  EXPECT_EQ(Of(record.out, "d['recordings'][0]['file']"), Path("l.jfr"));
  EXPECT_EQ(Of(record.out, "d['recordings'][0]['samples']"),
            std::to_string(ReadSound("l.jfr").Count(kExecutionSample)));
}

TEST_P(CliJsonTest, ATracePrintsOneObjectPerSecond) {
  const ProcessResult trace =
      Jprof({"trace", "--json", "-d", "3s", std::to_string(pid()), "Work.spin"});
  ASSERT_EQ(trace.exit_code, 0) << trace.Describe();
  EXPECT_GE(std::ranges::count(trace.out, '\n'), 2) << trace.Describe();
  EXPECT_EQ(Of(trace.out, "[m['method'] for m in d['methods']]"), "['Work.spin(I)V']");
  EXPECT_EQ(Of(trace.out,
               "0 < d['methods'][0]['callsPerSecond'] and "
               "0 < d['methods'][0]['p50Ns'] <= d['methods'][0]['longestNs'] <= "
               "d['methods'][0]['totalNs']"),
            "True")
      << trace.Describe();
  EXPECT_EQ(Of(trace.out, "0.5e9 < d['elapsedNs'] < 60e9"), "True") << trace.Describe();
}

}  // namespace
}  // namespace jprof::test
