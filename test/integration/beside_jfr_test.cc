// When jprof and JDK Flight Recorder record at the same time, both tell the truth, whichever
// started first.
#include <fstream>
#include <sstream>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

constexpr int kFirstWithCpuTimeSample = 25;
constexpr char kCpuTimeSample[] = "jdk.CPUTimeSample";
constexpr milliseconds kInterval(10);

// Enables both of the JDK's samplers every 10 ms. A JDK that lacks the CPU-time sampler ignores its
// setting.
constexpr char kSettings[] = R"(<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="jdk.ExecutionSample">
    <setting name="enabled">true</setting><setting name="period">10 ms</setting>
  </event>
  <event name="jdk.CPUTimeSample">
    <setting name="enabled">true</setting><setting name="throttle">10ms</setting>
  </event>
</configuration>
)";

class BesideJfrTest : public CliTest {
 protected:
  BesideJfrTest() { std::ofstream(Path("both.jfc")) << kSettings; }

  bool HasCpuTimeSample() const { return jdk().major >= kFirstWithCpuTimeSample; }

  std::string FlightRecording(const std::string& file) const {
    return "-XX:StartFlightRecording=settings=" + Path("both.jfc") + ",filename=" + Path(file);
  }

  std::string Jcmd(pid_t pid, const std::string& command) const {
    ProcessSpec spec;
    spec.argv = {jdk().home + "/bin/jcmd", std::to_string(pid)};
    std::istringstream words(command);
    for (std::string word; words >> word;) spec.argv.push_back(word);
    const ProcessResult result = RunProcess(spec);
    EXPECT_EQ(result.exit_code, 0) << result.Describe();
    return result.out;
  }

  // Compares our samples in `file` with the CPU clocks of the server's threads. `inside` is the
  // time that passed between our start and our stop; `around` includes the start and the stop
  // themselves.
  void ExpectOursTrue(const std::string& file, const std::map<std::string, double>& inside,
                      const std::map<std::string, double>& around) const {
    auto ours = NanosByThread(ReadSound(file), kExecutionSample, kInterval);
    const auto one_interval = static_cast<double>(std::chrono::nanoseconds(kInterval).count());
    for (const auto& [thread, nanos] : inside) {
      EXPECT_THAT(ours[thread], AllOf(Ge(nanos * 0.95 - one_interval),
                                      Le(around.at(thread) * 1.05 + one_interval)))
          << thread;
    }
  }
};
JPROF_ON_JDKS_FROM(kFirstMajorWithJfrReader, BesideJfrTest);

// JDKs without jdk.CPUTimeSample do not use SIGPROF.
class CpuTimeBesideJfrTest : public BesideJfrTest {};
JPROF_ON_JDKS_FROM(kFirstWithCpuTimeSample, CpuTimeBesideJfrTest);

std::map<std::string, double> Since(const std::map<std::string, double>& before,
                                    std::map<std::string, double> now) {
  for (auto& [thread, nanos] : now) nanos -= before.at(thread);
  return now;
}

double SumOf(const std::map<std::string, double>& numbers) {
  double sum = 0;
  for (const auto& [name, number] : numbers) sum += number;
  return sum;
}

// Returns (samples of this type in a recording of the JDK × interval) as a share of the CPU time.
double ShareOf(const Recording& recording, const char* type, const ProgramOutput& truth) {
  const auto interval = static_cast<double>(std::chrono::nanoseconds(kInterval).count());
  return static_cast<double>(recording.Count(type)) * interval / SumOf(truth.NumbersOf("cpu."));
}

TEST_P(BesideJfrTest, OurSamplesMatchTheClockAndTheJdkKeepsIts) {
  const std::vector<std::string> program = {"BusyLoop", "2", "800"};
  const ProcessResult alone = RunProcess(Java(program, {FlightRecording("alone.jfr")}));
  const ProcessResult both = RunProfiled(
      "start,cpu=10ms,file=" + Path("ours.jfr") + (HasCpuTimeSample() ? ",signal=SIGSTKFLT" : ""),
      program, {FlightRecording("theirs.jfr")});
  ASSERT_EQ(alone.exit_code, 0) << alone.Describe();
  ASSERT_EQ(both.exit_code, 0) << both.Describe();

  auto ours = NanosByThread(ReadSound("ours.jfr"), kExecutionSample, kInterval);
  for (const auto& [thread, truth] : ProgramOutput(both.out).NumbersOf("cpu.")) {
    EXPECT_THAT(ours[thread], IsWithin(0.05, truth)) << thread;
  }
  EXPECT_EQ(AgentLog(both.err).LastCount("lost"), 0) << both.err;
  const auto without_us = [&, recording = ReadSealed("alone.jfr")](const char* type) {
    return ShareOf(recording, type, ProgramOutput(alone.out));
  };
  const auto with_us = [&, recording = ReadSealed("theirs.jfr")](const char* type) {
    return ShareOf(recording, type, ProgramOutput(both.out));
  };
  // One thread of the JDK takes all jdk.ExecutionSample events, whenever it gets a processor. A
  // busy machine can have a fifth of them.
  EXPECT_GE(with_us(kExecutionSample), without_us(kExecutionSample) / 5);
  EXPECT_LE(with_us(kExecutionSample), without_us(kExecutionSample) * 5);
  if (!HasCpuTimeSample()) return;
  EXPECT_THAT(with_us(kCpuTimeSample), IsWithin(0.5, without_us(kCpuTimeSample)));
  EXPECT_THAT(with_us(kCpuTimeSample), IsWithin(0.5, 1.0));
}

TEST_P(CpuTimeBesideJfrTest, TakesAnotherSignalWhenTheJdkHasSigprof) {
  auto server = ServerProcess::Start(Java({"Server", "2", "0"}, {FlightRecording("theirs.jfr")}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  const auto before = server.value().CpuNanos();
  const ProcessResult start = JprofOn(pid, {"start", "-o", "ours.jfr"});
  EXPECT_THAT(start, Printed("by thread timers, by SIGSTKFLT (kernel tick "));
  EXPECT_THAT(start.out, HasSubstr("libjvm.so, as jdk.CPUTimeSample of Flight Recorder does"));
  const auto begun = server.value().CpuNanos();
  server.value().AwaitCpu(300e6);
  EXPECT_THAT(JprofOn(pid, {"status"}), Printed("signals   SIGSTKFLT for cpu\n"));
  const auto inside = Since(begun, server.value().CpuNanos());
  EXPECT_EQ(JprofOn(pid, {"stop"}).exit_code, 0);
  ExpectOursTrue("ours.jfr", inside, Since(before, server.value().CpuNanos()));

  // The JDK's handler stays installed after JFR.stop. The process timer has no other signal to use.
  Jcmd(pid, "JFR.stop name=1 filename=" + Path("theirs.jfr"));
  EXPECT_THAT(JprofOn(pid, {"start", "-e", "itimer", "-o", "second.jfr"}),
              Printed("not the process timer: the kernel sends SIGPROF for it"));
  EXPECT_EQ(JprofOn(pid, {"stop"}).exit_code, 0);
  const ProcessResult refused = JprofOn(pid, {"start", "--signal", "SIGPROF"});
  EXPECT_THAT(refused, FailedWith(1, "SIGPROF is handled already, by "));
  EXPECT_THAT(refused.err, AllOf(HasSubstr("until the JVM ends"), Not(HasSubstr("stop it first"))));

  const Recording theirs = ReadSealed("theirs.jfr");
  EXPECT_GE(static_cast<double>(theirs.Count(kCpuTimeSample)) * 10e6, 0.5 * SumOf(inside));
  EXPECT_EQ(server.value().Quit().exit_code, 0);
}

TEST_P(CpuTimeBesideJfrTest, StatusSaysWhatTheJdkLacksWithoutSigprof) {
  auto server = ServerProcess::Start(Java({"Server", "2", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  const auto before = server.value().CpuNanos();
  EXPECT_EQ(JprofOn(pid, {"start", "-o", "ours.jfr"}).exit_code, 0);
  const auto begun = server.value().CpuNanos();
  EXPECT_THAT(JprofOn(pid, {"status"}),
              Printed("signals   SIGPROF for cpu; Flight Recorder cannot begin jdk.CPUTimeSample"));
  const std::string with_settings = "JFR.start settings=" + Path("both.jfc") + " name=";
  Jcmd(pid, with_settings + "refused");
  server.value().AwaitCpu(300e6);
  Jcmd(pid, "JFR.stop name=refused filename=" + Path("refused.jfr"));
  const auto inside = Since(begun, server.value().CpuNanos());
  EXPECT_EQ(JprofOn(pid, {"stop"}).exit_code, 0);
  ExpectOursTrue("ours.jfr", inside, Since(before, server.value().CpuNanos()));
  EXPECT_EQ(ReadSealed("refused.jfr").Count(kCpuTimeSample), 0);

  // Our recording has ended, so SIGPROF is free.
  Jcmd(pid, with_settings + "alone");
  server.value().AwaitCpu(200e6);
  Jcmd(pid, "JFR.stop name=alone filename=" + Path("alone.jfr"));
  EXPECT_GT(ReadSealed("alone.jfr").Count(kCpuTimeSample), 0);
  const ProcessResult end = server.value().Quit();
  EXPECT_THAT(end.out + end.err, HasSubstr("Conflicting SIGPROF handler found"));
}

}  // namespace
}  // namespace jprof::test
