// jprof validate --event: compares the samples of methods with the times that probes measure.
#include <map>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "views/json_rows.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kDiffers = 1;
constexpr int kTooFew = 3;
constexpr char kMethods[] = "KnownShares.*+Work.spin";

// The rows of the view `sampling`, by the name of the method without its class and descriptor.
using Rows = std::map<std::string, JsonRow>;

Rows RowsOf(const ProcessResult& run) {
  const size_t json = run.out.find("{\"title\"");
  if (json == std::string::npos) {
    ADD_FAILURE() << run.Describe();
    return {};
  }
  Rows rows;
  for (const JsonRow& row : JsonRows(run.out.substr(json))) {
    const std::string& text = row.at("method");
    const std::string name = text.substr(0, text.find('('));
    rows[name.substr(name.rfind('.') + 1)] = row;
  }
  return rows;
}

double Number(const Rows& rows, const std::string& method, const std::string& name) {
  const auto row = rows.find(method);
  return row == rows.end() ? -1 : std::stod(row->second.at(name));
}

class ValidateSamplesTest : public CliTest {
 protected:
  ProcessResult Validate(std::vector<std::string> options,
                         const std::vector<std::string>& program) const {
    options.insert(options.begin(), "validate");
    options.emplace_back("--");
    for (const std::string& word : Java(program).argv) options.push_back(word);
    return Jprof(options);
  }
};
JPROF_ON_EVERY_JDK(ValidateSamplesTest);

TEST_P(ValidateSamplesTest, ProbesMeasureWhatTheClocksOfTheProgramDo) {
  const ProcessResult run =
      RunProfiled("start,event=cpu,exact=KnownShares.*,file=" + Path("out.jfr"),
                  {"KnownShares", "busy", "2", "1000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  std::map<std::string, Event> times;
  for (const Event& event : ReadSound("out.jfr").OfType("profiler.ExactTime")) {
    const std::string text = event.Text("method");
    times[text.substr(0, text.find('('))] = event;
  }
  // The program reads its clocks outside of the calls.
  for (const auto& [method, nanos] : truth.NumbersOf("cpu.")) {
    if (method == "main") continue;
    const Event& event = times["KnownShares." + method];
    EXPECT_LE(event.Number("cpuTime"), nanos) << method;
    EXPECT_THAT(event.Number("cpuTime"), IsWithin(0.1, nanos)) << method;
    EXPECT_LE(event.Number("elapsedTime"), truth.Number("wall." + method)) << method;
    EXPECT_GE(event.Number("elapsedTime"), event.Number("cpuTime")) << method;
  }
  // main does not end.
  EXPECT_GE(times["KnownShares.main"].Number("cpuTime"), 200'000'000);
  EXPECT_EQ(times["KnownShares.main"].Number("calls"), 1);
  EXPECT_EQ(times["KnownShares.recursive"].Number("calls") % 10, 0);
  // All together: the threads in `spend`, and `main`, which has called it too.
  const double spent = static_cast<double>(times["KnownShares.spend"].Number("cpuTime"));
  EXPECT_GE(times[""].Number("cpuTime"), spent);
  EXPECT_THAT(times[""].Number("cpuTime"), IsWithin(0.1, spent));
}

// If the samples are right, a run ends with kDiffers less than once in 100 000 runs
// (ExactShares::kDoubt).
TEST_P(ValidateSamplesTest, SamplesOfEachTriggerAgreeWithTheTimes) {
  for (const std::string event : {"cpu", "ctimer", "perf", "itimer"}) {
    const ProcessResult run =
        Validate({"-e", event, "-i", "1ms", "--methods", kMethods, "--fail-above", "0%", "--json"},
                 {"KnownShares", "busy", "2", "1500"});
    EXPECT_EQ(run.exit_code, kTooFew) << event << run.Describe();
    const Rows rows = RowsOf(run);
    EXPECT_GE(Number(rows, "[all together]", "samples"), 2500) << event;
    EXPECT_GE(Number(rows, "recursive", "samples"), 100) << event;
    EXPECT_GE(Number(rows, "spin", "sampledShare"), 0.9) << event;
  }
}

// The samples of `wall` are known to be late for threads that run only shortly (docs/clocks.md).
TEST_P(ValidateSamplesTest, SamplesOfWallAgreeWithTheElapsedTimes) {
  const ProcessResult run =
      Validate({"-e", "wall", "-i", "10ms", "--methods", kMethods, "--fail-above", "5%", "--json"},
               {"KnownShares", "asleep", "4", "4000"});
  EXPECT_NE(run.exit_code, kDiffers) << run.Describe();
  const Rows rows = RowsOf(run);
  EXPECT_GE(Number(rows, "[all together]", "samples"), 1500);
  for (const std::string method : {"plain", "recursive", "outer", "brief", "pass"}) {
    EXPECT_NEAR(Number(rows, method, "sampledShare"), Number(rows, method, "exactShare"), 0.1)
        << method;
  }
}

TEST_P(ValidateSamplesTest, MethodsThatRanBeforeTheProbesCameAreLeftOut) {
  Result<ServerProcess> program = ServerProcess::Start(Java({"KnownShares", "busy", "2", "6000"}));
  ASSERT_TRUE(program) << program.error().message();
  const ProcessResult run =
      JprofOn(program.value().pid(), {"validate", "-e", "cpu", "-i", "1ms", "-d", "2s", "--methods",
                                      kMethods, "--fail-above", "0%", "--json"});
  EXPECT_EQ(run.exit_code, kTooFew) << run.Describe();
  const Rows rows = RowsOf(run);
  for (const std::string method : {"main", "spend"}) {
    ASSERT_EQ(rows.count(method), 1u) << run.Describe();
    EXPECT_EQ(rows.at(method).at("leftOut"), "a thread was in it when the probes came");
    EXPECT_EQ(Number(rows, method, "samples"), 0);
  }
  double samples = 0;
  for (const std::string method : {"plain", "recursive", "outer", "thrown", "brief"}) {
    samples += Number(rows, method, "samples");
  }
  EXPECT_GE(samples, 50);
  EXPECT_EQ(program.value().Quit().exit_code, 0);
}

TEST_P(ValidateSamplesTest, TheTimeOfVirtualThreadsIsOnNeitherSide) {
  if (jdk().major < 21) GTEST_SKIP() << "JDK " << jdk().major << " has no virtual threads";
  const ProcessResult run =
      Validate({"-e", "cpu", "-i", "1ms", "--methods", kMethods, "--fail-above", "0%", "--json"},
               {"KnownShares", "busy", "1", "1500", "virtual"});
  EXPECT_EQ(run.exit_code, kTooFew) << run.Describe();
  const ProgramOutput truth(run.out);
  const Rows rows = RowsOf(run);
  EXPECT_THAT(Number(rows, "plain", "time"), IsWithin(0.1, truth.Number("cpu.plain")));
}

// The first JVM calls no method that is measured.
TEST_P(ValidateSamplesTest, EachJvmOfACommandIsComparedByItself) {
  std::string command;
  for (const std::vector<std::string>& program : {std::vector<std::string>{"Hello"},
                                                  {"KnownShares", "busy", "1", "300"},
                                                  {"KnownShares", "busy", "2", "300"}}) {
    for (const std::string& word : Java(program).argv) command += '\'' + word + "' ";
    command += "&& ";
  }
  const ProcessResult run =
      Jprof({"validate", "-e", "cpu", "-i", "1ms", "--methods", kMethods, "--fail-above", "0%",
             "--json", "--", "/bin/sh", "-c", command + "true"});
  EXPECT_EQ(run.exit_code, kTooFew) << run.Describe();
  const size_t first = run.out.find("{\"sampling\":[{\"title\"");
  const size_t second = run.out.find(",{\"title\"", first);
  ASSERT_NE(first, std::string::npos) << run.out;
  ASSERT_NE(second, std::string::npos) << run.out;
  EXPECT_EQ(run.out.find(",{\"title\"", second + 1), std::string::npos) << run.out;
}

TEST_P(ValidateSamplesTest, ShortCallsAreMeasuredForAWhile) {
  const ProcessResult run = Validate(
      {"-e", "cpu", "-i", "1ms", "--methods", "Validated.*", "--fail-above", "0%", "--json"},
      {"Validated", "4", "overflow"});
  EXPECT_EQ(run.exit_code, kTooFew) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("sum "));
  const Rows rows = RowsOf(run);
  ASSERT_EQ(rows.count("fib"), 1u) << run.Describe();
  EXPECT_EQ(rows.at("fib").at("leftOut"), "its calls are too short");
  EXPECT_EQ(Number(rows, "fib", "calls"), 131072);
  EXPECT_EQ(rows.at("main").at("leftOut"), "");
}

TEST_P(ValidateSamplesTest, BadOptionsAreRefusedInOneLine) {
  EXPECT_THAT(Validate({"-e", "cpu"}, {"Hello"}), FailedWith(kUsage, "--event needs --methods"));
  EXPECT_THAT(Validate({"-e", "alloc", "--methods", "Hello.*"}, {"Hello"}),
              FailedWith(kUsage, "'--event alloc' cannot be compared"));
  EXPECT_THAT(Validate({"-e", "cpu,wall", "--methods", "Hello.*"}, {"Hello"}),
              FailedWith(kUsage, "'--event cpu,wall' cannot be compared"));
  EXPECT_THAT(Validate({"-e", "cpu", "-i", "1s", "--methods", "Hello"}, {"Hello"}),
              FailedWith(kUsage, "'Hello' is not a method"));
  EXPECT_THAT(Validate({"-e", "cpu", "-i", "1us", "--methods", "Hello.*"}, {"Hello"}),
              FailedWith(kUsage, "out of range"));
  EXPECT_THAT(Validate({"-i", "1ms"}, {"Hello"}), FailedWith(kUsage, "--interval is for samples"));
  EXPECT_THAT(Validate({"-e", "cpu", "--agct", "--methods", "Hello.*"}, {"Hello"}),
              FailedWith(kUsage, "--agct is for stacks"));
}

TEST_P(ValidateSamplesTest, APatternThatMatchesNothingMeasuresNothing) {
  const ProcessResult run =
      Validate({"-e", "cpu", "--methods", "no.such.Thing.*"}, {"KnownShares", "busy", "1", "100"});
  EXPECT_EQ(run.exit_code, kTooFew) << run.Describe();
  EXPECT_THAT(run.err, HasSubstr("no time was measured in the methods of --methods"));
}

}  // namespace
}  // namespace jprof::test
