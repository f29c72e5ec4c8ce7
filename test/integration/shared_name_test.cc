// JVMs that inherit the same JAVA_TOOL_OPTIONS, and so record to the same file name.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/output_claim.h"
#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAreArray;

constexpr milliseconds kInterval(5);

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SharedNameTest : public CliTest {
 protected:
  // Adds the agent to JAVA_TOOL_OPTIONS, which every JVM below the process inherits.
  static ProcessSpec WithAgent(ProcessSpec spec, const std::string& options) {
    spec.env.emplace_back("JAVA_TOOL_OPTIONS", AgentArgument(options));
    return spec;
  }

  ProcessSpec Jcmd(pid_t pid) const {
    ProcessSpec spec;
    spec.argv = {jdk().Tool("jcmd"), std::to_string(pid), "VM.version"};
    spec.working_directory = folder();
    return spec;
  }

  // Returns the name that a process uses if another process has already claimed `name`.
  static std::string NameWithPid(const std::string& name, pid_t pid) {
    const size_t dot = name.rfind('.');
    return name.substr(0, dot) + "-" + std::to_string(pid) + name.substr(dot);
  }

  ProcessResult RunAndKeepPid(const ProcessSpec& spec, pid_t* pid) const {
    Result<RunningProcess> process = RunningProcess::Start(spec);
    EXPECT_TRUE(process.ok());
    *pid = process.value().pid();
    return process.value().Wait();
  }

  // Expects a complete recording in which the busy thread has at least `at_least_ns` of CPU time.
  void ExpectWhole(const std::string& name, double at_least_ns) const {
    auto cpu = NanosByThread(ReadSound(name), kExecutionSample, kInterval);
    EXPECT_GE(cpu["busy-0"], at_least_ns) << name;
  }
};
JPROF_ON_EVERY_JDK(SharedNameTest);

TEST_P(SharedNameTest, ARecordingKeepsItsFileWhileOtherJvmsStartAndEnd) {
  const std::string options = "start,cpu=5ms,chunktime=1s,file=" + Path("out.jfr");
  Result<ServerProcess> server =
      ServerProcess::Start(WithAgent(Java({"Server", "1", "0"}), options));
  ASSERT_TRUE(server.ok()) << server.error().message();
  server.value().AwaitCpu(1.2e9);  // more than one chunk
  const double before_ns = server.value().CpuNanos()["busy-0"];

  pid_t jcmd = 0;
  const ProcessResult told = RunAndKeepPid(WithAgent(Jcmd(server.value().pid()), options), &jcmd);
  EXPECT_EQ(told.exit_code, 0) << told.Describe();
  EXPECT_THAT(
      told.err,
      HasSubstr("out.jfr is being written by process " + std::to_string(server.value().pid()) +
                ": this recording goes to " + Path(NameWithPid("out.jfr", jcmd))));
  pid_t child = 0;
  const ProcessResult ran =
      RunAndKeepPid(WithAgent(Java({"BusyLoop", "1", "300"}), options), &child);
  EXPECT_EQ(ran.exit_code, 0) << ran.Describe();

  server.value().AwaitCpu(1.2e9);
  const double after_ns = server.value().CpuNanos()["busy-0"];
  const ProcessResult ended = server.value().Quit();
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr(" in " + Path("out.jfr")), Not(HasSubstr("another program"))));
  EXPECT_GT(after_ns, before_ns);
  ExpectWhole("out.jfr", after_ns - 2.0 * std::chrono::nanoseconds(kInterval).count());
  ExpectWhole(NameWithPid("out.jfr", child), 0.25e9);
  ReadSound(NameWithPid("out.jfr", jcmd));
  EXPECT_THAT(FilesInFolder(),
              UnorderedElementsAreArray({std::string("out.jfr"), NameWithPid("out.jfr", jcmd),
                                         NameWithPid("out.jfr", child)}));
}

TEST_P(SharedNameTest, PagesAndTextsKeepTheirFilesToo) {
  for (const std::string name : {"out.html", "out.collapsed"}) {
    const std::string options = "start,cpu=5ms,file=" + Path(name);
    Result<ServerProcess> server =
        ServerProcess::Start(WithAgent(Java({"Server", "1", "0"}), options));
    ASSERT_TRUE(server.ok()) << server.error().message();
    server.value().AwaitCpu(0.3e9);
    EXPECT_TRUE(Attach(server.value().pid(), "dump").Accepted());
    const std::string dumped = TextOf(Path(name));
    EXPECT_THAT(dumped, HasSubstr("burnForever"));

    pid_t child = 0;
    const ProcessResult ran = RunAndKeepPid(WithAgent(Java({"Hello", "0"}), options), &child);
    EXPECT_EQ(ran.exit_code, 0) << ran.Describe();
    EXPECT_EQ(TextOf(Path(name)), dumped);
    EXPECT_THAT(TextOf(Path(NameWithPid(name, child))), Not(HasSubstr("burnForever")));

    server.value().Quit();
    EXPECT_THAT(TextOf(Path(name)), HasSubstr("burnForever"));
    EXPECT_THAT(FilesInFolder(), ElementsAre(NameWithPid(name, child), name));
    for (const std::string& each : FilesInFolder()) std::filesystem::remove(Path(each));
  }
}

TEST_P(SharedNameTest, ASeriesKeepsItsFilesToItsEnd) {
  const std::string options = "start,cpu=5ms,loop=1s,file=" + Path("part-%n.jfr");
  Result<ServerProcess> server =
      ServerProcess::Start(WithAgent(Java({"Server", "1", "0"}), options));
  ASSERT_TRUE(server.ok()) << server.error().message();
  while (!std::filesystem::exists(Path("part-2.jfr"))) server.value().AwaitCpu(1e8);
  const std::string first = TextOf(Path("part-1.jfr"));

  // The second series starts after the numbers of the existing files. While both series run, they
  // take different numbers.
  const ProcessResult ran = RunProcess(WithAgent(Java({"BusyLoop", "1", "1500"}), options));
  EXPECT_EQ(ran.exit_code, 0) << ran.Describe();
  const ProcessResult ended = server.value().Quit();
  EXPECT_THAT(ended.err, Not(HasSubstr("another program"))) << ended.Describe();
  EXPECT_TRUE(TextOf(Path("part-1.jfr")) == first) << "a finished file was replaced";
  const std::vector<std::string> files = FilesInFolder();
  EXPECT_GE(files.size(), 5u) << "three and more of the one, two and more of the other";
  for (const std::string& file : files) ReadSound(file);
}

TEST_P(SharedNameTest, SimultaneousJvmsHaveOneIntactFileEach) {
  constexpr int kJvms = 10;
  const std::string options = "start,cpu=5ms,memlimit=16m,file=" + Path("out.jfr");
  std::vector<RunningProcess> running;
  for (int i = 0; i < kJvms; ++i) {
    Result<RunningProcess> process =
        RunningProcess::Start(WithAgent(Java({"Server", "0", "0"}), options));
    ASSERT_TRUE(process.ok());
    running.push_back(std::move(process).value());
  }
  for (RunningProcess& process : running) ASSERT_TRUE(process.WaitForLine("ready").ok());
  std::vector<std::string> pids;
  for (RunningProcess& process : running) {
    pids.push_back(std::to_string(process.pid()));
    const ProcessResult ended = process.Wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.Describe();
  }
  std::vector<std::string> recorded;
  for (const std::string& name : FilesInFolder()) {
    const std::vector<Event> jvms = ReadSound(name).OfType("jdk.JVMInformation");
    ASSERT_FALSE(jvms.empty()) << name;
    recorded.push_back(jvms.front().Text("pid"));
    EXPECT_THAT(name, testing::AnyOf("out.jfr", "out-" + recorded.back() + ".jfr"));
  }
  EXPECT_THAT(recorded, UnorderedElementsAreArray(pids));
  EXPECT_THAT(FilesInFolder(), testing::Contains("out.jfr"));
}

TEST_P(SharedNameTest, TheNextJvmTakesTheNameOfAKilledOne) {
  const std::string options = "start,cpu=5ms,file=" + Path("out.jfr");
  Result<RunningProcess> killed =
      RunningProcess::Start(WithAgent(Java({"Server", "1", "0"}), options));
  ASSERT_TRUE(killed.ok());
  ASSERT_TRUE(killed.value().WaitForLine("ready").ok());
  killed.value().SendSignal(SIGKILL);
  killed.value().Wait();
  EXPECT_TRUE(std::filesystem::exists(Path(".out.jfr.lock")));
  const ProcessResult next = RunProcess(WithAgent(Java({"BusyLoop", "1", "300"}), options));
  EXPECT_THAT(next.err, Not(HasSubstr("is being written"))) << next.Describe();
  ExpectWhole("out.jfr", 0.25e9);
  EXPECT_FALSE(std::filesystem::exists(Path(".out.jfr.lock")));
}

TEST_P(SharedNameTest, JprofNamesTheFileOfItsRecording) {
  const std::string options = "start,cpu=5ms,file=" + Path("out.jfr");
  Result<ServerProcess> first =
      ServerProcess::Start(WithAgent(Java({"Server", "1", "0"}), options));
  Result<ServerProcess> second = ServerProcess::Start(Java({"Server", "1", "0"}));
  ASSERT_TRUE(first.ok() && second.ok());
  first.value().AwaitCpu(0.1e9);
  const std::string taken = NameWithPid("out.jfr", second.value().pid());
  for (const std::string wanted : {"out.jfr", "out.html"}) {
    const std::string with_pid = NameWithPid(wanted, second.value().pid());
    // For out.html, jprof writes the converted file. Another process has claimed its name.
    const Result<OutputClaim> other = OutputClaim::Take(Path("out.html"), 1);
    ASSERT_TRUE(other.ok());
    const ProcessResult recorded =
        JprofOn(second.value().pid(), {"record", "-d", "300ms", "-o", Path(wanted)});
    EXPECT_EQ(recorded.exit_code, 0) << recorded.Describe();
    EXPECT_THAT(recorded.out, HasSubstr(Path(with_pid))) << recorded.Describe();
    EXPECT_THAT(recorded.err, HasSubstr(wanted + " is being written by process")) << recorded.err;
    EXPECT_TRUE(std::filesystem::exists(Path(with_pid)));
  }
  ReadSound(taken);
  first.value().Quit();
  ReadSound("out.jfr");
  EXPECT_FALSE(std::filesystem::exists(Path("out.html")));
}

}  // namespace
}  // namespace jprof::test
