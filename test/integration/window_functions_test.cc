// begin= and end= with functions that are called very often. The profiler removes a breakpoint
// where further calls have no effect, or where its cost to the program is too high.
#include <algorithm>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// The least number of calls per second under a recording, as a share of those without. A call with
// a breakpoint takes more than a hundred times as long as one without.
constexpr double kLeastShareOfCalls = 0.05;

class WindowFunctionsTest : public CliTest {
 protected:
  WindowFunctionsTest()
      : program_(RunningProcess::Start(Java({"Windows", "hot", "3", "70"},
                                            {"-Djava.library.path=" + NativeLibraryFolder()}))) {}

  void SetUp() override {
    ASSERT_TRUE(program_.ok());
    ASSERT_TRUE(program().WaitForLine("calls.first=").ok());
  }

  RunningProcess& program() { return program_.value(); }

  ProcessResult Start(std::vector<std::string> edges) {
    edges.insert(edges.begin(), {"start", "--cpu=1ms", "-o", Path("out.jfr")});
    return JprofOn(program().pid(), edges);
  }

  // Lets the program call the function for one second of CPU time.
  void CallHotFunction() {
    program().WriteLine("");
    ASSERT_TRUE(program().WaitForLine("ready=1").ok());
  }

  static void ExpectFast(const ProgramOutput& truth) {
    EXPECT_GE(truth.Number("calls.second"), kLeastShareOfCalls * truth.Number("calls.first"));
  }

 private:
  Result<RunningProcess> program_;
};
JPROF_ON_EVERY_JDK(WindowFunctionsTest);

TEST_P(WindowFunctionsTest, AnOpenWindowCostsItsFunctionNothing) {
  const ProcessResult started = Start({"--begin", "window_calls::Open"});
  ASSERT_EQ(started.exit_code, 0) << started.Describe();
  CallHotFunction();
  const ProcessResult stopped = JprofOn(program().pid(), {"stop"});
  EXPECT_THAT(stopped.out, HasSubstr(", 1 window of "));
  EXPECT_THAT(stopped.out, Not(HasSubstr("no window after")));

  const ProcessResult again =
      Start({"--begin", "window_calls::Open", "--end", "window_calls::Close"});
  ASSERT_EQ(again.exit_code, 0) << again.Describe();
  program().WriteLine("");
  const ProcessResult run = program().Wait();
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ExpectFast(ProgramOutput(run.out));
  EXPECT_THAT(run.err, HasSubstr(", 3 windows of "));
}

TEST_P(WindowFunctionsTest, CostlyFunctionsEndTheWindowsWithAWarning) {
  const ProcessResult started =
      Start({"--begin", "window_calls::Open", "--end", "window_calls::Close"});
  ASSERT_EQ(started.exit_code, 0) << started.Describe();
  CallHotFunction();
  program().WriteLine("");
  const ProcessResult run = program().Wait();
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ExpectFast(ProgramOutput(run.out));
  EXPECT_THAT(run.err, HasSubstr(", 1 window of "));
  EXPECT_THAT(run.err,
              ContainsRegex("warning: no window after the first [0-9.]+ m?s: more than 2000 "
                            "calls a second began or ended windows"));
  const std::vector<Event> samples = ReadSound("out.jfr").OfType(kExecutionSample);
  EXPECT_EQ(std::ranges::count_if(
                samples, [](const Event& sample) { return sample.HasFrame("Windows.inside"); }),
            0);
}

}  // namespace
}  // namespace jprof::test
