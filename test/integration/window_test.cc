// begin=, end= and ttsp: only samples within windows are recorded, and samples outside are counted
// exactly.
#include <cmath>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class WindowTest : public CliTest {
 protected:
  std::string Windows(const std::string& begin, const std::string& end) const {
    return "begin=" + begin + ",end=" + end + ",file=" + Path("out.jfr");
  }

  // Returns the CPU time in a method in milliseconds. REQUIRES: a sample stands for 1 ms.
  static double MillisOf(const Recording& recording, const std::string& method) {
    double millis = 0;
    for (const Event& sample : recording.OfType(kExecutionSample)) {
      millis += sample.HasFrame(method) ? 1 : 0;
    }
    return millis;
  }

  // Expects that the samples contain all CPU time inside of windows, and none outside except at the
  // borders.
  static void ExpectOnlyInside(const Recording& recording, const ProgramOutput& truth) {
    const double inside = truth.Number("cpu.inside") / kMilli;
    const double windows = truth.Number("windows");
    EXPECT_NEAR(MillisOf(recording, "Windows.inside"), inside, 4 * std::sqrt(inside));
    EXPECT_LE(MillisOf(recording, "Windows.outside"), 2 * windows);
    EXPECT_GT(truth.Number("cpu.outside") / kMilli, 100);
  }

  // Returns the last value of the counter.
  static std::string CounterOf(const Recording& recording, const std::string& name) {
    std::string last;
    for (const Event& counter : recording.OfType("profiler.Counter")) {
      if (counter.Text("name") == name) last = counter.Text("value");
    }
    return last;
  }

  static std::string WindowsIn(const Recording& recording) {
    return CounterOf(recording, "windows");
  }

  void ExpectThreeWindows(const ProcessResult& run) const {
    const Recording recording = ReadSound("out.jfr");
    ExpectOnlyInside(recording, ProgramOutput(run.out));
    EXPECT_EQ(WindowsIn(recording), "3");
  }

  // Runs the program with windows that start at window_calls::Open and end at `end`.
  void ExpectWindowsOfFunctions(const std::string& way, const std::string& end) {
    auto program = RunningProcess::Start(
        Java({"Windows", way, "3", "70"}, {"-Djava.library.path=" + NativeLibraryFolder()}));
    ASSERT_TRUE(program.ok());
    ASSERT_TRUE(program.value().WaitForLine("ready=1").ok());
    const ProcessResult started =
        JprofOn(program.value().pid(), {"start", "--cpu=1ms", "--begin", "window_calls::Open",
                                        "--end", end, "-o", Path("out.jfr")});
    ASSERT_EQ(started.exit_code, 0) << started.Describe();
    program.value().WriteLine("");
    const ProcessResult run = program.value().Wait();
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    ExpectThreeWindows(run);
  }

  static double TimeInWindows(const Recording& recording) {
    return std::stod("0" + CounterOf(recording, "windows: ns"));
  }

  static double OutsideIn(const Recording& recording, const std::string& kind) {
    double total = 0;
    for (const Event& count : recording.OfType("profiler.SampleCount")) {
      if (count.Text("kind") == kind && count.Text("outcome") == "outside the windows") {
        total = static_cast<double>(count.Number("total"));
      }
    }
    return total;
  }
};
JPROF_ON_EVERY_JDK(WindowTest);

TEST_P(WindowTest, SamplesAreOfTheWindowsHoweverTheyBeginAndEnd) {
  struct Way {
    const char* name;
    const char* begin;
    int first_jdk;
  };
  for (const Way& way : {Way{"plain", "Windows.open", 0}, Way{"thrown", "Windows.openAndThrow", 0},
                         Way{"elsewhere", "Windows.open", 0}, Way{"twice", "Windows.open", 0},
                         Way{"virtual", "Windows.open", kFirstMajorWithVirtualThreads}}) {
    if (jdk().major < way.first_jdk) continue;
    const ProcessResult run = RunProfiled("start,cpu=1ms," + Windows(way.begin, "Windows.close"),
                                          {"Windows", way.name, "3", "70"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const Recording recording = ReadSound("out.jfr");
    SCOPED_TRACE(way.name);
    ExpectOnlyInside(recording, ProgramOutput(run.out));
    EXPECT_EQ(WindowsIn(recording), "3");
    EXPECT_THAT(run.err, ContainsRegex(", 3 windows of [0-9.]+ (ms|s), [0-9]+ outside "));
  }
}

TEST_P(WindowTest, RecordedLostAndOutsideAddUpToTheCpuTimeOfTheProcess) {
  const ProcessResult run = RunProfiled("start,cpu=1ms," + Windows("Windows.open", "Windows.close"),
                                        {"Windows", "plain", "3", "200"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  const double outside = OutsideIn(recording, "cpu");
  const double all = static_cast<double>(recording.Count(kExecutionSample)) + outside;
  const double outside_of_main = ProgramOutput(run.out).Number("cpu.outside") / kMilli;
  EXPECT_GE(outside, 0.95 * outside_of_main);
  EXPECT_GE(all, 0.85 * ProgramOutput(run.out).Number("cpu.process") / kMilli);
  EXPECT_LE(all, 1.05 * run.CpuNanos() / kMilli);
}

TEST_P(WindowTest, ReportsThatNoWindowWasOpenAsTheReasonForNoSamples) {
  const ProcessResult run = RunProfiled("start,cpu=1ms," + Windows("No.such", "Windows.close"),
                                        {"Windows", "plain", "1", "20"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.err, AllOf(HasSubstr("no window: nothing that begins one was called"),
                             Not(HasSubstr("no samples"))));
  EXPECT_THAT(Jprof({"convert", Path("out.jfr"), Path("out.html")}).err,
              AllOf(HasSubstr("no window was open"), Not(HasSubstr("CPU time"))));
}

TEST_P(WindowTest, EachEngineHasTheSameWindowsAndASleeperIsInThem) {
  const ProcessResult run =
      RunProfiled("start,cpu=1ms,wall=5ms," + Windows("Windows.open", "Windows.close"),
                  {"Windows", "plain", "3", "200"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  ExpectOnlyInside(recording, ProgramOutput(run.out));
  const double windows_ns = TimeInWindows(recording);
  auto wall = NanosByThread(recording, kWallClockSample, std::chrono::milliseconds(5));
  // The main thread runs all the time; Finalizer sleeps all the time.
  EXPECT_NEAR(wall["main"], windows_ns, 0.05 * windows_ns + 3 * 10 * kMilli);
  EXPECT_NEAR(wall["Finalizer"], windows_ns, 0.05 * windows_ns + 3 * 10 * kMilli);
  EXPECT_GT(OutsideIn(recording, "wall"), 0);
}

TEST_P(WindowTest, AWindowThatStaysOpenEndsWithTheRecordingAndOneMayBeginWithIt) {
  const ProcessResult open =
      RunProfiled("start,cpu=1ms," + Windows("Windows.open", "Windows.close"),
                  {"Windows", "unclosed", "1", "150"});
  ASSERT_EQ(open.exit_code, 0) << open.Describe();
  ExpectOnlyInside(ReadSound("out.jfr"), ProgramOutput(open.out));

  const ProcessResult begun = RunProfiled("start,cpu=1ms,end=Windows.open,file=" + Path("out.jfr"),
                                          {"Windows", "plain", "2", "150"});
  ASSERT_EQ(begun.exit_code, 0) << begun.Describe();
  const Recording recording = ReadSound("out.jfr");
  EXPECT_EQ(WindowsIn(recording), "1");
  EXPECT_LE(MillisOf(recording, "Windows.inside"), 2);
  EXPECT_GE(MillisOf(recording, "Windows.outside"), 120);
}

// The counts are those at the stop itself. Nothing between the last update and the stop is missing.
TEST_P(WindowTest, AStopInTheMiddleOfAWindowCountsAllUpToIt) {
  auto program = RunningProcess::Start(
      Java({"Windows", "held", "1", "110"},
           {AgentArgument("start,cpu=1ms," + Windows("Windows.open", "Windows.close"))}));
  ASSERT_TRUE(program.ok());
  ASSERT_TRUE(program.value().WaitForLine("cpu.process=").ok());
  EXPECT_THAT(JprofOn(program.value().pid(), {"stop"}), Printed(", 1 window of "));
  program.value().WriteLine("");
  const ProcessResult run = program.value().Wait();
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  const ProgramOutput truth(run.out);
  ExpectOnlyInside(recording, truth);
  EXPECT_EQ(WindowsIn(recording), "1");
  EXPECT_GE(TimeInWindows(recording), 0.95 * truth.Number("cpu.inside"));
  EXPECT_GE(OutsideIn(recording, "cpu"), 0.95 * truth.Number("cpu.outside") / kMilli);
}

TEST_P(WindowTest, AMethodMayBeTracedAndBeginWindows) {
  const ProcessResult run = RunProfiled("start,cpu=1ms,trace=Windows.open:0+Windows.close:0," +
                                            Windows("Windows.open", "Windows.close"),
                                        {"Windows", "plain", "3", "70"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  ExpectOnlyInside(recording, ProgramOutput(run.out));
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("Windows.open()V: 3 calls"), HasSubstr("Windows.close()V: 3 calls")));
  // Only "open" has events: its calls end within a window, while the calls to "close" end after the
  // window.
  for (const Event& call : recording.OfType("jdk.MethodTrace")) {
    EXPECT_EQ(call.Text("method.name"), "open");
  }
}

TEST_P(WindowTest, NamesMissingMethodsAndReportsThatNoWindowWasOpen) {
  const ProcessResult run = RunProfiled("start,cpu=1ms," + Windows("No.such", "No.other"),
                                        {"Windows", "plain", "1", "50"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.err, AllOf(HasSubstr("no class that is loaded has a method No.such: "),
                             HasSubstr("0 windows of 0 ns"),
                             HasSubstr("warning: no window: nothing that begins one was called"),
                             Not(HasSubstr("no samples of cpu"))));
  EXPECT_EQ(ReadSound("out.jfr").Count(kExecutionSample), 0);
}

TEST_P(WindowTest, FunctionsBeginAndEndWindowsByBreakpoints) {
  ExpectWindowsOfFunctions("native", "window_calls::Close");
}

TEST_P(WindowTest, OneMethodOrFunctionBeginsAndEndsThemInTurn) {
  const ProcessResult run = RunProfiled("start,cpu=1ms," + Windows("Windows.turn", "Windows.turn"),
                                        {"Windows", "turned", "3", "70"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ExpectThreeWindows(run);
  ExpectWindowsOfFunctions("nativeTurned", "window_calls::Open");
}

TEST_P(WindowTest, AMissingFunctionFailsTheStartAndTheProgramContinues) {
  const ProcessResult run = RunProfiled("start,cpu=1ms,begin=no::such,file=" + Path("out.jfr"),
                                        {"Windows", "plain", "1", "20"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("cannot start: no library of the process has the function "
                                 "no::such, or it is stripped: install its debug symbols"));
}

TEST_P(WindowTest, WhereTheKernelRefusesBreakpointsTheStartFailsAndSaysSo) {
  if (jdk().major == 8) GTEST_SKIP() << "Debian's JDK 8 lacks the name of the function";
  ProcessSpec spec = Java({"Windows", "plain", "1", "20"},
                          {AgentArgument("start,cpu=1ms,ttsp,file=" + Path("out.jfr"))});
  spec.env.emplace_back("LD_PRELOAD", NativeLibraryFolder() + "/libforbidden_perf_events.so");
  const ProcessResult run = RunProcess(spec);
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.err, ContainsRegex("cannot start: the kernel refuses breakpoints, which show "
                                     "calls of functions: .*perf_event_open.*; "
                                     "kernel.perf_event_paranoid is -?[0-9]"));
}

TEST_P(WindowTest, TtspShowsWhoIsLateForSafepoints) {
  if (jdk().major == 8) GTEST_SKIP() << "Debian's JDK 8 lacks the name of the function";
  const ProcessResult run = RunProfiled("start,cpu=1ms,ttsp,file=" + Path("out.jfr"),
                                        {"Safepoints", "20"}, {"-Xmx400m", "-XX:+UseParallelGC"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  EXPECT_GE(MillisOf(recording, "Safepoints.delay"), 20);
  // The other samples are in the creation of the arrays, which takes as long and has no safepoint
  // poll either.
  EXPECT_GE(MillisOf(recording, "Safepoints.copy"),
            0.8 * static_cast<double>(recording.Count(kExecutionSample)));
}

}  // namespace
}  // namespace jprof::test
