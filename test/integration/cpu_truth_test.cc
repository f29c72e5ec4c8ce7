// The number of jdk.ExecutionSample events times the interval is the CPU time.
#include <algorithm>
#include <cmath>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;
using testing::Each;
using testing::HasSubstr;

class CpuTruthTest : public JvmTest {
 protected:
  // Checks four threads that use the same CPU time, on any number of cores.
  void ExpectTruthOfFourThreads(const std::string& event, milliseconds interval) const {
    const ProcessResult run =
        RunProfiled("start,event=" + event + ",interval=" + std::to_string(interval.count()) +
                        "ms,file=" + Path("out.jfr"),
                    {"BusyLoop", "4", "1500"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const Recording recording = ReadSound("out.jfr");
    auto cpu = NanosByThread(recording, kExecutionSample, interval);
    std::vector<double> measured;
    for (const auto& [name, truth] : ProgramOutput(run.out).NumbersOf("cpu.")) {
      EXPECT_THAT(cpu[name], IsWithin(0.05, truth)) << name;
      measured.push_back(cpu[name]);
    }
    ASSERT_EQ(measured.size(), 4u);
    const auto [least, most] = std::minmax_element(measured.begin(), measured.end());
    EXPECT_THAT(*most, IsWithin(0.05, *least));
    for (const Event& sample : recording.OfType(kExecutionSample)) {
      EXPECT_EQ(sample.Text("state"), "STATE_DEFAULT");
    }
    EXPECT_EQ(recording.Count(kWallClockSample), 0);
    EXPECT_EQ(AgentLog(run.err).LastCount("lost"), 0) << run.err;
  }
};
JPROF_ON_EVERY_JDK(CpuTruthTest);

TEST_P(CpuTruthTest, CpuAt10msIsTheClockOfEachThread) {
  ExpectTruthOfFourThreads("cpu", milliseconds(10));
}

TEST_P(CpuTruthTest, CtimerAt10msIsTheClockOfEachThread) {
  ExpectTruthOfFourThreads("ctimer", milliseconds(10));
}

// The kernel's tick can be longer than this interval: the samples must still add up.
TEST_P(CpuTruthTest, CpuAt1msIsTheClockOfEachThread) {
  ExpectTruthOfFourThreads("cpu", milliseconds(1));
}

// Each trigger of CPU samples is requested by name, at intervals that can be shorter than the
// kernel's tick. Where the machine does not permit a trigger, another one replaces it.
TEST_P(CpuTruthTest, EachTriggerIsNamedAndTrue) {
  struct Asked {
    const char* options;
    milliseconds interval;
  };
  for (const Asked& asked : {Asked{"event=itimer,interval=5ms", milliseconds(5)},
                             Asked{"event=perf,interval=1ms", milliseconds(1)},
                             Asked{"event=ctimer,interval=1ms", milliseconds(1)}}) {
    const ProcessResult run =
        RunProfiled("start," + std::string(asked.options) + ",file=" + Path("out.jfr"),
                    {"BusyLoop", "2", "600"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, asked.interval);
    for (const auto& [name, truth] : ProgramOutput(run.out).NumbersOf("cpu.")) {
      EXPECT_THAT(cpu[name], IsWithin(0.05, truth)) << asked.options << " " << name;
    }
    EXPECT_EQ(AgentLog(run.err).LinesWith(" by "), 1) << run.err;
    EXPECT_EQ(AgentLog(run.err).LinesWith("(kernel tick "), 1) << run.err;
  }
}

// Each limit is set by `prlimit`: no timers at all, or few descriptors for perf_events.
TEST_P(CpuTruthTest, AResourceLimitIsReportedAndTotalsStayTrue) {
  struct Limited {
    const char* limit;
    const char* event;
    const char* report;
  };
  for (const Limited& limited : {Limited{"--sigpending=0", "ctimer", "ulimit -i"},
                                 Limited{"--nofile=32:32", "perf", "ulimit -n"}}) {
    ProcessSpec spec =
        Java({"BusyLoop", "4", "600"},
             {AgentArgument("start,interval=10ms,event=" + std::string(limited.event) +
                            ",file=" + Path("out.jfr"))});
    spec.argv.insert(spec.argv.begin(), {"/usr/bin/prlimit", limited.limit});
    const ProcessResult run = RunProcess(spec);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(10));
    for (const auto& [name, truth] : ProgramOutput(run.out).NumbersOf("cpu.")) {
      EXPECT_THAT(cpu[name], IsWithin(0.05, truth)) << limited.limit << " " << name;
    }
    EXPECT_GE(AgentLog(run.err).LinesWith(limited.report), 1) << run.err;
  }
}

// Each thread lives for less than the interval and less than the kernel's tick. The time since its
// last sample is accounted for when it ends.
// A thread of 1 to 8 ms has a sample with a probability p of 0.1 to 0.8. The sum of p (1 - p) over 2000
// threads is 414, so 900 samples have a standard error of 2.2 %. A thread also uses some CPU time after
// its last look at its clock: on a busy machine 1.4 % were measured.
TEST_P(CpuTruthTest, ThreadsMuchShorterThanTheIntervalAreRepresented) {
  constexpr double kNoise = 4.3 * 0.022;
  constexpr double kAfterTheLastLook = 0.05;
  for (const char* side_by_side : {"1", "20"}) {
    const ProcessResult run = RunProfiled("start,cpu=10ms,file=" + Path("out.jfr"),
                                          {"ShortThreads", "2000", side_by_side});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    double cpu = 0;
    for (const auto& [name, nanos] :
         NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(10))) {
      if (name.rfind("short-", 0) == 0) cpu += nanos;
    }
    const double truth = ProgramOutput(run.out).Number("cpu.short");
    EXPECT_GE(cpu, (1 - kNoise) * truth) << side_by_side;
    EXPECT_LE(cpu, (1 + kAfterTheLastLook + kNoise) * truth) << side_by_side;
  }
}

TEST_P(CpuTruthTest, TheDefaultIntervalIs10ms) {
  const ProcessResult run =
      RunProfiled("start,event=cpu,file=" + Path("out.jfr"), {"BusyLoop", "1", "1000"});
  auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(10));
  EXPECT_THAT(cpu["busy-0"], IsWithin(0.05, ProgramOutput(run.out).Number("cpu.busy-0")));
}

TEST_P(CpuTruthTest, CompilerThreadsAreCoveredAndTheWholeAddsUpToTheProcess) {
  const ProcessResult run =
      RunProfiled("start,event=cpu,interval=1ms,file=" + Path("out.jfr"), {"Compiling", "100"},
                  {"-XX:+IgnoreUnrecognizedVMOptions", "-XX:CompileThresholdScaling=0.001"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  double compilers = 0;
  double total = 0;
  for (const auto& [name, nanos] :
       NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(1))) {
    // The name is "C2 CompilerThre", from JDK 27 on "C2 Comp..hread0".
    if (name.starts_with("C1 Comp") || name.starts_with("C2 Comp")) compilers += nanos;
    total += nanos;
  }
  const ProgramOutput truth(run.out);
  EXPECT_GE(compilers, 0.8 * (truth.Number("cpu.process") - truth.Number("cpu.main")));
  EXPECT_GE(total, 0.95 * truth.Number("cpu.process"));
  EXPECT_LE(total, 1.05 * run.CpuNanos());
}

TEST_P(CpuTruthTest, AClockThatAPreloadedLibraryShiftsMakesNoSamples) {
  ProcessSpec spec =
      Java({"BusyLoop", "2", "1000"}, {AgentArgument("start,cpu=10ms,file=" + Path("out.jfr"))});
  spec.env.emplace_back("LD_PRELOAD", NativeLibraryFolder() + "/libshifted_clock.so");
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(10));
  double sum_ns = 0;
  for (const auto& [name, ns] : cpu) sum_ns += ns;
  EXPECT_LE(sum_ns, 60e9);  // the JVM takes seconds, not hours
  EXPECT_EQ(AgentLog(run.err).LastCount("lost"), 0) << run.err;
}

}  // namespace
}  // namespace jprof::test
