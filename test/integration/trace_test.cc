// trace=: calls to methods are counted exactly, timed, and recorded if they are slow. After the
// recording the JVM has the original methods again.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kTiming[] = "jdk.MethodTiming";
constexpr char kTrace[] = "jdk.MethodTrace";
constexpr char kCount[] = "profiler.MethodCount";
constexpr char kLatency[] = "profiler.MethodLatency";

// Returns the sums of a field by "Class.method"; methods with several descriptors are added up.
std::map<std::string, int64_t> SumsOf(const Recording& recording, const std::string& type,
                                      const std::string& field) {
  std::map<std::string, int64_t> sums;
  for (const Event& event : recording.OfType(type)) {
    sums[event.Text("method.type") + "." + event.Text("method.name")] += event.Number(field);
  }
  return sums;
}

// Expects, by method, the counts that TracedCalls knows of every kind of call that it makes.
void ExpectExact(std::map<std::string, int64_t> calls, std::map<std::string, int64_t> exceptions,
                 const ProgramOutput& truth) {
  EXPECT_EQ(calls["TracedCalls.recurse"], truth.Number("calls.recurse"));
  EXPECT_EQ(calls["TracedCalls.lock"], truth.Number("calls.lock"));
  EXPECT_EQ(calls["TracedCalls.fail"], truth.Number("calls.fail"));
  EXPECT_EQ(calls["TracedCalls.share"], truth.Number("calls.share"));
  EXPECT_EQ(calls["TracedCalls.lambda$main$0"], truth.Number("calls.lambda"));
  EXPECT_EQ(calls["TracedCalls$Box.compareTo"], truth.Number("calls.compareTo"));
  EXPECT_EQ(calls["TracedCalls$Made.<init>"], truth.Number("calls.<init>"));
  EXPECT_EQ(exceptions["TracedCalls.fail"], truth.Number("exceptions.fail"));
  EXPECT_EQ(exceptions["TracedCalls$Made.<init>"], truth.Number("exceptions.<init>"));
  EXPECT_EQ(exceptions["TracedCalls.recurse"], 0);
}

class TraceTest : public CliTest {};
JPROF_ON_EVERY_JDK(TraceTest);

TEST_P(TraceTest, CallsOfEveryKindAreCountedExactly) {
  const bool has_virtual = jdk().major >= kFirstMajorWithVirtualThreads;
  const ProcessResult run =
      RunProfiled("start,trace=TracedCalls*.*,file=" + Path("out.jfr"),
                  {"TracedCalls", "20000", "8", has_virtual ? "10000" : "0", "1"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const Recording recording = ReadSound("out.jfr");

  auto calls = SumsOf(recording, kTiming, "invocations");
  ExpectExact(calls, SumsOf(recording, kLatency, "exceptions"), truth);
  EXPECT_EQ(calls["TracedCalls.never"], 0);

  EXPECT_EQ(SumsOf(recording, kLatency, "calls")["TracedCalls.share"], truth.Number("calls.share"));
  EXPECT_THAT(run.err, HasSubstr("TracedCalls.fail(I)I: 20000 calls, 10000 ended by an exception"));
  EXPECT_EQ(recording.Count(kTrace), 0);
  EXPECT_EQ(recording.Count(kCount), 0);
}

TEST_P(TraceTest, AMethodWhoseNameHasSpacesAndCommasIsTracedByItsName) {
  const std::string name = "an order, once paid, is sent";
  const ProcessResult run = RunProfiled(
      "start,trace='spec.OrderSpec." + name + "',file=" + Path("out.jfr"), {"SpacedNames", "100"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  auto calls = SumsOf(ReadSound("out.jfr"), kTiming, "invocations");
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls["spec.OrderSpec." + name], 100);
}

TEST_P(TraceTest, CallsThatAreCountedAloneAreExactAndHaveNoTimes) {
  const bool has_virtual = jdk().major >= kFirstMajorWithVirtualThreads;
  const ProcessResult run =
      RunProfiled("start,trace=TracedCalls*.*:count+TracedCalls.rest:1h,file=" + Path("out.jfr"),
                  {"TracedCalls", "20000", "8", has_virtual ? "10000" : "0", "1"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const Recording recording = ReadSound("out.jfr");

  auto calls = SumsOf(recording, kCount, "calls");
  ExpectExact(calls, SumsOf(recording, kCount, "exceptions"), truth);
  auto timings = SumsOf(recording, kTiming, "invocations");
  EXPECT_EQ(timings["TracedCalls.share"], truth.Number("calls.share"));
  EXPECT_EQ(timings["TracedCalls.never"], 0);

  // Only one method has times: the one that another pattern selects for timing.
  const std::vector<Event> latencies = recording.OfType(kLatency);
  ASSERT_EQ(latencies.size(), 1U);
  EXPECT_EQ(latencies[0].Text("method.name"), "rest");
  EXPECT_EQ(latencies[0].Number("calls"), 2);
  EXPECT_EQ(calls.count("TracedCalls.rest"), 0U);
  for (const Event& timing : recording.OfType(kTiming)) {
    if (timing.Text("method.name") == "rest") continue;
    for (const char* time : {"minimum", "average", "maximum"}) {
      EXPECT_EQ(timing.Number(time), INT64_MIN) << timing.Text("method.name");
    }
  }
  EXPECT_THAT(run.err,
              HasSubstr("TracedCalls.fail(I)I: 20000 calls, 10000 ended by an exception\n"));
}

// In code that is being compiled, the probes of the innermost calls might not have enough stack.
// Calls that are not counted for this reason are reported, and no exception is counted without its
// call.
TEST_P(TraceTest, CallsThatOverflowTheStackHaveNoMoreExceptionsThanCalls) {
  constexpr int kTimes = 24;
  for (const std::string counting : {":count", ":count", ":count", ":1h"}) {
    const ProcessResult run =
        RunProfiled("start,trace=Overflows.deeper" + counting + ",file=" + Path("out.jfr"),
                    {"Overflows", std::to_string(kTimes)}, {"-Xss512k", "-XX:TieredStopAtLevel=1"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const Recording recording = ReadSound("out.jfr");
    const std::string type = counting == ":count" ? kCount : kLatency;
    const int64_t calls = recording.Sum(type, "calls");
    const auto entered = static_cast<int64_t>(ProgramOutput(run.out).Number("entered"));
    EXPECT_LE(recording.Sum(type, "exceptions"), calls) << counting;
    EXPECT_LE(calls, entered + kTimes) << "the last call of each time may not reach its statement";
    EXPECT_GE(calls, entered / 2) << counting;
  }
}

// Returns the events sorted by time, because a file need not be sorted.
std::vector<Event> ByTime(std::vector<Event> events) {
  std::ranges::sort(events, {}, [](const Event& event) { return event.Number("startTime"); });
  return events;
}

TEST_P(TraceTest, SlowCallsHaveTheirDurationThreadAndCallersBesideOtherEngines) {
  const ProcessResult run = RunProfiled(
      "start,cpu=1ms,trace=TracedCalls.rest:100ms+TracedCalls.restAndFail:0+TracedCalls.fail:1h,"
      "file=" +
          Path("out.jfr"),
      {"TracedCalls", "2000", "0", "0", "150"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  const std::vector<Event> slow = ByTime(recording.OfType(kTrace));
  ASSERT_EQ(slow.size(), 2U);
  EXPECT_EQ(slow[0].Text("method.name"), "rest");
  EXPECT_EQ(slow[1].Text("method.name"), "restAndFail");
  EXPECT_GE(slow[0].Number("duration"), 150'000'000);
  EXPECT_EQ(slow[0].Text("eventThread.javaName"), "main");
  ASSERT_FALSE(slow[0].frames.empty());
  EXPECT_EQ(slow[0].frames.front().method, "TracedCalls.callRest");
  EXPECT_EQ(slow[0].Text("exception"), "false");
  EXPECT_EQ(slow[1].Text("exception"), "true");
  EXPECT_EQ(slow[1].Text("thrownClass"), "java.lang.UnsupportedOperationException");
  for (const Event& latency : recording.OfType(kLatency)) {
    if (latency.Text("method.name") != "rest") continue;
    EXPECT_EQ(latency.Number("calls"), 2);
    EXPECT_EQ(latency.Number("maximum"), latency.Number("p99") > 0 ? latency.Number("maximum") : 0);
    EXPECT_NEAR(static_cast<double>(latency.Number("p99")),
                static_cast<double>(latency.Number("maximum")),
                static_cast<double>(latency.Number("maximum")) * 0.01);
  }
}

TEST_P(TraceTest, NamesMethodsThatCannotBeProbedAndTracesTheOthers) {
  const ProcessResult run = RunProfiled(
      "start,trace=java.lang.Runtime.availableProcessors+java.lang.Comparable.compareTo+"
      "java.lang.Integer.*+java.util.concurrent.atomic.*.*+java.jprof.*.*+No.such+TracedCalls.lock,"
      "file=" +
          Path("out.jfr"),
      {"TracedCalls", "100", "0", "0", "0"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(
      run.err,
      AllOf(HasSubstr("java.lang.Runtime.availableProcessors()I is not probed: it is abstract or "
                      "native\n"),
            HasSubstr("java.lang.Comparable.compareTo(Ljava/lang/Object;)I is not probed: "),
            HasSubstr("java.lang.Integer is not probed: the probes use it\n"),
            HasSubstr("java.jprof.MethodProbes is not probed: it is the profiler's own\n"),
            HasSubstr("no class that is loaded has a method No.such: "),
            HasSubstr("TracedCalls.lock(I)I: 100 calls, 0 ended by an exception")));
  EXPECT_EQ(SumsOf(ReadSound("out.jfr"), kTiming, "invocations")["TracedCalls.lock"], 100);
}

TEST_P(TraceTest, ReportsMethodsWhoseCallsTheJvmCanReplace) {
  if (jdk().major < 9) return;  // JDK 8 does not say which methods these are
  const ProcessResult run =
      RunProfiled("start,trace=java.lang.String*.equals*,file=" + Path("out.jfr"), {"Hello"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.err, ContainsRegex("java.lang.String[^ ]* may be called more often: the JVM may "
                                     "run its own code instead, uncounted\n"));
}

TEST_P(TraceTest, EverythingMayMatchAndTheProgramRunsOn) {
  const ProcessResult run =
      RunProfiled("start,trace=*.*,file=" + Path("out.jfr"), {"TracedCalls", "100", "2", "0", "0"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_EQ(ProgramOutput(run.out).Number("calls.share"), 200);
  EXPECT_THAT(run.err, HasSubstr(" methods more are not traced: 1000 at a time are the limit"));
  EXPECT_GT(ReadSound("out.jfr").Count(kTiming), 900);
}

TEST_P(TraceTest, MethodsAreTheJvmsOwnAgainAfterwardsInEveryLoader) {
  const ProcessResult run =
      RunProcess(Java({"TracedRestored", AgentLibrary(), NativeLibraryFolder(), Path("out.jfr")}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  EXPECT_EQ(truth.Number("changed.during"), 1);
  EXPECT_EQ(truth.Number("changed.after"), 0);
  EXPECT_EQ(truth.Number("changed.late"), 1);
  EXPECT_EQ(truth.Number("changed.again"), 1);
  EXPECT_EQ(truth.Number("changed.end"), 0);
  EXPECT_EQ(truth.Number("isolated"), 42);
  EXPECT_THAT(run.out, ContainsRegex("answer.stop=.*TracedRestored.Early.twice\\(I\\)I: 100 calls, "
                                     "50 ended by an exception"));
  EXPECT_THAT(run.out, HasSubstr("TracedRestored$Late.thrice(I)I: 1 calls"));
  EXPECT_THAT(run.out, HasSubstr("TracedRestored$Alone.applyAsInt(I)I: 1 calls"));
  EXPECT_THAT(run.out, ContainsRegex("answer.second=.*twice\\(I\\)I: 100 calls, 50 ended"));
}

TEST_P(TraceTest, AWrongPatternIsOneLineAndTheProgramDoesNotStart) {
  const ProcessResult run = RunProfiled("start,trace=order", {"Hello"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("'trace=order' cannot be traced: 'order' is not a method: write "
                                 "package.Class.method\n"));
}

TEST_P(TraceTest, ToolsOfTheJdkShowTheMethods) {
  const ProcessResult run =
      RunProfiled("start,trace=TracedCalls.fail+TracedCalls.rest:1ms,file=" + Path("out.jfr"),
                  {"TracedCalls", "100", "0", "0", "20"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ProcessSpec print;
  print.argv = {jdk().Tool("jfr"), "print", "--events", kTiming, Path("out.jfr")};
  EXPECT_THAT(RunProcess(print).out,
              AllOf(ContainsRegex("method = TracedCalls.fail\\(int\\)"),
                    HasSubstr("invocations = 100"), ContainsRegex("average = [0-9.]+ [mn]?s")));
  if (jdk().major < 25) return;
  ProcessSpec view;
  view.argv = {jdk().Tool("jfr"), "view", "method-timing", Path("out.jfr")};
  EXPECT_THAT(RunProcess(view).out, ContainsRegex("TracedCalls.fail\\(int\\) +100 "));
  view.argv[2] = "method-calls";
  EXPECT_THAT(RunProcess(view).out,
              ContainsRegex("TracedCalls.rest\\(int\\) +TracedCalls.callRest\\(int\\) +[1-9]"));
}

class TraceServerTest : public CliServerTest {
 protected:
  void ExpectNothingInTmp() const {
    const std::string begin = ".jprof-trace-" + std::to_string(pid()) + "-";
    for (const auto& entry : std::filesystem::directory_iterator("/tmp")) {
      EXPECT_FALSE(entry.path().filename().string().starts_with(begin)) << entry.path();
    }
  }
};
JPROF_ON_EVERY_JDK(TraceServerTest);

TEST_P(TraceServerTest, ALiveTableCountsAndLeavesNothingBehind) {
  const ProcessResult table = JprofOn(pid(), {"trace", "--once", "--wait", "120s"});
  EXPECT_NE(table.exit_code, 0);  // a METHOD is missing
  const ProcessResult once =
      Jprof({"trace", std::to_string(pid()), "Work.spin", "--once", "--wait", "120s"});
  EXPECT_EQ(once.exit_code, 0) << once.Describe();
  EXPECT_THAT(once.out, ContainsRegex(" [1-9][0-9]* +[1-9][0-9]* +0 .* Work.spin\\(I\\)V\n"));
  EXPECT_THAT(Jprof({"status", std::to_string(pid())}).out, HasSubstr("state     idle"));
  ExpectNothingInTmp();
}

TEST_P(TraceServerTest, AnInterruptedTraceEndsItsRecording) {
  ProcessSpec spec = JprofSpec({"trace", std::to_string(pid()), "Work.spin", "--wait", "120s"});
  auto trace = RunningProcess::Start(spec);
  ASSERT_TRUE(trace.ok());
  ASSERT_TRUE(trace.value().WaitForLine("   calls/s").ok());
  trace.value().SendSignal(SIGTERM);
  const ProcessResult ended = trace.value().Wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.Describe();
  EXPECT_THAT(ended.out, HasSubstr("  Work.spin(I)V\n"));
  EXPECT_THAT(Jprof({"status", std::to_string(pid())}).out, HasSubstr("state     idle"));
}

TEST_P(TraceServerTest, AKilledTraceEndsItsRecordingAndLeavesNothingBehind) {
  auto trace = RunningProcess::Start(JprofSpec({"trace", std::to_string(pid()), "Work.spin"}));
  ASSERT_TRUE(trace.ok());
  ASSERT_TRUE(trace.value().WaitForLine("   calls/s").ok());
  trace.value().SendSignal(SIGKILL);
  trace.value().Wait();
  std::string status;
  while (status.find("state     idle") == std::string::npos) {
    server().AwaitCpu(1e7);
    status = Jprof({"status", std::to_string(pid())}).out;
  }
  EXPECT_THAT(status, Not(HasSubstr("holds it")));
  ExpectNothingInTmp();
}

}  // namespace
}  // namespace jprof::test
