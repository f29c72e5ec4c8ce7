// Another agent gives commands to the profiler from its JVMTI callbacks: while the JVM is starting,
// and in callbacks that are caused by the profiler's own work, where no command may wait.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CallingAgentTest : public JvmTest {
 protected:
  ProcessResult Run(const std::string& phase, const std::vector<std::string>& words) const {
    const std::string agent = NativeLibraryFolder() + "/libcalling_agent.so";
    std::vector<std::string> program = {"CallingAgent", agent, folder()};
    program.insert(program.end(), words.begin(), words.end());
    ProcessSpec spec = Java(program, {"-agentpath:" + agent + '=' + AgentLibrary() + ';' + phase +
                                      ';' + Path(phase + ".jfr")});
    // The timeout ends a JVM that hangs.
    spec.timeout = std::chrono::minutes(3);
    return RunProcess(spec);
  }

  void ExpectMainIn(const std::string& file, const ProcessResult& run) const {
    auto cpu = NanosByThread(ReadSound(file), kExecutionSample, std::chrono::milliseconds(5));
    const double burnt = ProgramOutput(run.out).Number("cpu.main");
    EXPECT_GE(cpu["main"], 0.9 * burnt);
    // The recording also contains what main prints and loads between the two commands, and the
    // commands' own time.
    EXPECT_LE(cpu["main"], 1.5 * burnt);
  }

  void ExpectLaunchedIn(const std::string& phase, const std::string& answer) const {
    const ProcessResult run = Run(phase, {"launched"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    for (const std::string reached : {"onload", "vmstart", "vminit"}) {
      EXPECT_THAT(run.out, HasSubstr(reached + ".version=0 jprof "));
    }
    EXPECT_THAT(run.out, HasSubstr(phase + ".start=0 " + answer));
    EXPECT_THAT(run.out, HasSubstr("\nstop=0 stopped: ")) << run.Describe();
    // The recording contains the JVM's own start as well.
    auto cpu =
        NanosByThread(ReadSound(phase + ".jfr"), kExecutionSample, std::chrono::milliseconds(5));
    EXPECT_GE(cpu["main"], 0.9 * ProgramOutput(run.out).Number("cpu.main"));
  }
};
JPROF_ON_EVERY_JDK(CallingAgentTest);

TEST_P(CallingAgentTest, ACommandFromACallbackOfOurWorkFailsAsBusyAndOthersWait) {
  const ProcessResult run = Run("never", {"callbacks", "4"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput counts(run.out);
  // The profiler causes these events: its recorder's thread starts and ends, and it retransforms
  // and loads the classes of probes.
  for (const char* const event : {"ThreadStart", "ThreadEnd", "ClassFileLoadHook"}) {
    EXPECT_GT(counts.Number(std::string("busy.") + event), 0) << event;
  }
  for (const char* const event : {"ThreadStart", "ThreadEnd", "ClassPrepare"}) {
    EXPECT_GT(counts.Number(std::string("notbusy.") + event), 0) << event;
  }
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("\nstart=0 recording cpu"), HasSubstr("\nstop=0 stopped: ")));
  ExpectMainIn("quiet.jfr", run);
}

// A JVM of JDK 27 waits up to a minute for callbacks to return, including the callback that ends
// the JVM.
TEST_P(CallingAgentTest, ACallbackOfOurWorkThatEndsTheJvmEndsIt) {
  const ProcessResult run = Run("never", {"exit"});
  EXPECT_EQ(run.exit_code, 7) << run.Describe();
  EXPECT_THAT(run.out, Not(HasSubstr("start=")));
}

TEST_P(CallingAgentTest, ThreadsOutsideOfTheJvmGiveTheFirstCommandAndTheLast) {
  const ProcessResult run = Run("never", {"outside"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ExpectMainIn("outside.jfr", run);
}

TEST_P(CallingAgentTest, ARecordingStartsFromEachCallbackOfAJvmStart) {
  ExpectLaunchedIn("onload", "the recording starts when the JVM is initialised");
  ExpectLaunchedIn("vmstart", "the recording starts when the JVM is initialised");
  ExpectLaunchedIn("vminit", "recording cpu every 5 ms");
}

}  // namespace
}  // namespace jprof::test
