// jprof view: tables of recordings and of running JVMs.
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CliViewTest : public CliTest {
 protected:
  // Records two threads, busy-0 and busy-1, with 300 ms of CPU time each.
  void Record() const {
    const ProcessResult result =
        RunProfiled("start,event=cpu,wall=10ms,file=" + Path("out.jfr"), {"BusyLoop", "2", "300"});
    ASSERT_EQ(result.exit_code, 0) << result.Describe();
    truth_ = ProgramOutput(result.out);
  }

  // Returns the number of `name` in the first row that contains all the texts.
  double Number(const std::string& json, const std::string& name,
                const std::vector<std::string>& texts) const {
    std::istringstream rows(std::regex_replace(json, std::regex(R"(\},\{|\[\{|\}\])"), "\n"));
    for (std::string row; std::getline(rows, row);) {
      const auto has = [&row](const std::string& text) { return row.find(text) != row.npos; };
      std::smatch number;
      if (std::ranges::all_of(texts, has) &&
          std::regex_search(row, number, std::regex('"' + name + "\":([-+.0-9e]+)"))) {
        return std::stod(number[1]);
      }
    }
    ADD_FAILURE() << "no " << name << " in " << json;
    return 0;
  }

  std::string View(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "view");
    const ProcessResult result = Jprof(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.Describe();
    return result.out;
  }

  mutable ProgramOutput truth_{""};
};
JPROF_ON_NEWEST_JDK(CliViewTest);

TEST_P(CliViewTest, TablesHaveTheNumbersOfTheRecording) {
  Record();
  const Recording recording = ReadSound("out.jfr");
  const auto samples = static_cast<double>(recording.Count(kExecutionSample));
  const auto of_busy = static_cast<double>(SamplesOf(recording, kExecutionSample, "busy-0").size());
  ASSERT_GE(of_busy, 25);

  const std::string threads = View({"threads", "--json", "--limit", "0", "out.jfr"});
  EXPECT_EQ(Number(threads, "cpu", {"busy-0"}), of_busy);
  EXPECT_NEAR(Number(threads, "cpuShare", {"busy-0"}), of_busy / samples, 1e-3);
  EXPECT_GT(Number(threads, "wall", {"busy-0"}), 0);

  const std::string methods = View({"methods", "--json", "--limit", "0", "-e", "cpu", "out.jfr"});
  const double three = Number(methods, "total", {"BusyLoop.burnThree"});
  const double one = Number(methods, "total", {"BusyLoop.burnOne"});
  const double run = Number(methods, "total", {"BusyLoop.run"});
  EXPECT_GT(three, one);
  EXPECT_LE(three + one, run);
  EXPECT_LE(run, samples);

  const std::string hot = View({"hot", "--json", "--limit", "0", "-e", "cpu", "out.jfr"});
  EXPECT_EQ(Number(hot, "total", {"BusyLoop.burnThree"}), three);
  EXPECT_LE(Number(hot, "self", {"BusyLoop.burnThree"}), three);

  const std::string tree = View({"tree", "--json", "--limit", "0", "-e", "cpu", "out.jfr"});
  EXPECT_GT(Number(tree, "depth", {"BusyLoop.burnThree"}), Number(tree, "depth", {"BusyLoop.run"}));

  const std::string lives = View({"states", "--json", "--limit", "0", "out.jfr"});
  EXPECT_THAT(Number(lives, "time", {"\"cpu\"", "busy-0"}),
              IsWithin(0.05, truth_.Number("cpu.busy-0")));
  const std::string states = View({"states", "--json", "-e", "cpu", "out.jfr"});
  EXPECT_GT(Number(states, "total", {"\"cpu\"", "\"running\""}), 0);
  const std::string events = View({"events", "--json", "--limit", "0", "out.jfr"});
  EXPECT_EQ(Number(events, "count", {"\"jdk.ExecutionSample\""}), samples);
}

TEST_P(CliViewTest, TextIsInColumnsLongestFirstAndLimited) {
  Record();
  // The compiler's threads can have more CPU time than the program's.
  const std::string rows = View({"threads", "--json", "--limit", "0", "out.jfr"});
  std::smatch longest;
  ASSERT_TRUE(std::regex_search(rows, longest, std::regex("\"thread\":\"([^\"]+)\"")));
  EXPECT_GE(Number(rows, "cpu", {longest[1]}), Number(rows, "cpu", {"busy-0"}));
  EXPECT_GE(Number(rows, "cpu", {longest[1]}), Number(rows, "cpu", {"busy-1"}));
  EXPECT_THAT(
      View({"threads", "--limit", "1", "out.jfr"}),
      AllOf(ContainsRegex("CPU .*WALL .*TID  THREAD\n"), HasSubstr("  " + longest.str(1) + "\n"),
            HasSubstr("more rows; --limit 0 shows all")));
  EXPECT_THAT(View({"tree", "-e", "cpu", "--limit", "0", "out.jfr"}),
              ContainsRegex("\n *[0-9.]+ % .* BusyLoop.run\n"));
  EXPECT_THAT(View({"threads", "--sort", "thread", "--limit", "0", "out.jfr"}),
              ContainsRegex("busy-0(.|\n)*busy-1"));
}

TEST_P(CliViewTest, AnyEventIsATableOfItsFields) {
  Record();
  EXPECT_THAT(View({"events", "JVMInformation", "out.jfr"}),
              AllOf(HasSubstr("jdk.JVMInformation"), HasSubstr("JAVA APPLICATION ARGUMENTS"),
                    HasSubstr("BusyLoop 2 300")));
  const std::string count = View({"events", "profiler.SampleCount", "--json", "out.jfr"});
  EXPECT_EQ(Number(count, "intervals", {"\"cpu\"", "\"recorded\""}),
            static_cast<double>(ReadSound("out.jfr").Count(kExecutionSample)));
  EXPECT_THAT(Jprof({"view", "events", "no.Such", "out.jfr"}), FailedWith(kFile, "'no.Such'"));
}

TEST_P(CliViewTest, ListsLossesByReasonAndThread) {
  Record();
  // The view agrees with the loss counts that the recording contains.
  const std::string counts = View({"events", "profiler.SampleCount", "--json", "out.jfr"});
  const std::string losses = View({"losses", "--json", "--limit", "0", "out.jfr"});
  EXPECT_EQ(counts.find("\"lost: ") == std::string::npos,
            losses.find("\"reason\"") == std::string::npos)
      << counts << losses;
}

TEST_P(CliViewTest, UpdatesARunningRecordingOrMakesOne) {
  auto server = ServerProcess::Start(Java({"Server", "1", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const std::string pid = std::to_string(server.value().pid());
  EXPECT_THAT(Jprof({"view", "hot", pid}), FailedWith(kRefused, "jprof start " + pid));
  EXPECT_EQ(Jprof({"start", "-o", "live.jfr", pid}).exit_code, 0);
  server.value().AwaitCpu(0.2e9);
  EXPECT_THAT(Jprof({"view", "threads", pid}), Printed("busy-0"));
  EXPECT_EQ(Jprof({"stop", pid}).exit_code, 0);
  EXPECT_THAT(Jprof({"view", "threads", "-d", "500ms", pid}), Printed("busy-0"));
  EXPECT_THAT(FilesInFolder(), testing::ElementsAre("live.jfr"));
}

TEST_P(CliViewTest, KeepsARecordingThatAnotherClientStopped) {
  auto server = ServerProcess::Start(Java({"Server", "1", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  auto view = RunningProcess::Start(JprofSpec({"view", "hot", "-d", "1h", std::to_string(pid)}));
  ASSERT_TRUE(view.ok()) << view.error().message();
  AwaitRecording(pid);
  server.value().AwaitCpu(0.2e9);
  EXPECT_EQ(JprofOn(pid, {"stop"}).exit_code, 0);
  view.value().SendSignal(SIGINT);
  const ProcessResult ended = view.value().Wait();
  EXPECT_THAT(ended, FailedWith(kRefused, "what was recorded is in /"));
  std::string path = ended.err.substr(ended.err.find("recorded is in /") + 15);
  path.resize(path.find('\n'));
  EXPECT_THAT(Jprof({"view", "threads", path}), Printed("busy-0"));
  std::filesystem::remove(path);
}

TEST_P(CliViewTest, ReportsWhatItCannotShow) {
  EXPECT_THAT(Jprof({"view", "hot"}), FailedWith(kUsage, "SOURCE is missing"));
  EXPECT_THAT(Jprof({"view", "cold", "out.jfr"}), FailedWith(kUsage, "there are hot, methods"));
  EXPECT_THAT(Jprof({"view", "hot", "Type", "out.jfr"}),
              FailedWith(kUsage, "unexpected argument 'Type' (only `view events` takes a TYPE)"));
  EXPECT_THAT(Jprof({"view", "hot", "--limit", "x", "out.jfr"}), FailedWith(kUsage, "'x'"));
  EXPECT_THAT(Jprof({"view", "hot", "none.jfr"}), FailedWith(kFile, "none.jfr"));
  // These mistakes are reported before jprof looks for a JVM and records it for an hour.
  EXPECT_THAT(Jprof({"view", "hot", "-d", "1h", "--state", "bogus", "NoSuchProgram"}),
              FailedWith(kUsage, "names no state 'bogus': there are running, "));
  EXPECT_THAT(Jprof({"view", "hot", "-d", "1h", "--from", "5s", "--until", "2s", "NoSuchProgram"}),
              FailedWith(kUsage, "--until '2s' is not after --from '5s'"));
  EXPECT_THAT(Jprof({"view", "hot", "NoSuchProgram"}), FailedWith(kNoProcess, "NoSuchProgram"));
  std::ofstream(Path("text.jfr")) << "no recording";
  EXPECT_THAT(Jprof({"view", "hot", "text.jfr"}), FailedWith(kFile, "text.jfr"));
  { const std::ofstream empty(Path("empty.jfr")); }
  EXPECT_THAT(Jprof({"view", "events", "empty.jfr"}), FailedWith(kFile, "empty.jfr"));
}

}  // namespace
}  // namespace jprof::test
