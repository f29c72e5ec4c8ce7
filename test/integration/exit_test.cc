// The recording is complete, however the JVM ends.
#include <csignal>

#include "jfr/writer/jfr_file.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kCpuMillis[] = "600";

class ExitTest : public JvmTest {
 protected:
  std::string Options() const { return "start,event=cpu,interval=10ms,file=" + Path("out.jfr"); }

  // Expects that the folder contains only the recording, and that it has the CPU time of the thread
  // "burner" until the JVM ended. This is at least what the program read just before its end, and
  // at most what the kernel counted for the whole process.
  void ExpectCompleteRecording(const ProcessResult& run) const {
    EXPECT_THAT(FilesInFolder(), ElementsAre("out.jfr"));
    const double truth = ProgramOutput(run.out).Number("cpu.burner");
    auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(10));
    const auto interval_ns =
        static_cast<double>(std::chrono::nanoseconds(milliseconds(10)).count());
    EXPECT_GE(cpu["burner"], truth - 2 * interval_ns) << run.Describe();
    EXPECT_LE(cpu["burner"], run.CpuNanos() + interval_ns) << run.Describe();
    EXPECT_EQ(AgentLog(run.err).LastCount("lost"), 0) << run.err;
  }

  void ExpectCompleteRecordingAfter(const std::string& way, int exit_code) const {
    const ProcessResult run = RunProfiled(Options(), {"Exits", way, kCpuMillis});
    EXPECT_EQ(run.exit_code, exit_code) << run.Describe();
    ExpectCompleteRecording(run);
  }

  Result<RunningProcess> StartAndWaitUntilReady() const {
    auto process =
        RunningProcess::Start(Java({"Exits", "wait", kCpuMillis}, {AgentArgument(Options())}));
    if (!process) return process;
    const auto ready = process.value().WaitForLine("ready");
    if (!ready) return ready.error();
    return process;
  }
};
JPROF_ON_EVERY_JDK(ExitTest);

TEST_P(ExitTest, CompleteAfterMainReturns) { ExpectCompleteRecordingAfter("return", 0); }

TEST_P(ExitTest, CompleteAfterSystemExit) { ExpectCompleteRecordingAfter("exit", 3); }

TEST_P(ExitTest, CompleteAfterAnUncaughtException) { ExpectCompleteRecordingAfter("throw", 1); }

TEST_P(ExitTest, CompleteAfterHalt) { ExpectCompleteRecordingAfter("halt", 4); }

TEST_P(ExitTest, CompleteAfterSigterm) {
  auto process = StartAndWaitUntilReady();
  ASSERT_TRUE(process.ok()) << process.error().message();
  process.value().SendSignal(SIGTERM);
  const ProcessResult run = process.value().Wait();
  EXPECT_EQ(run.exit_code, 128 + SIGTERM) << run.Describe();
  ExpectCompleteRecording(run);
}

TEST_P(ExitTest, TheFileHoldsSealedChunksAfterAKill) {
  auto process = StartAndWaitUntilReady();
  ASSERT_TRUE(process.ok()) << process.error().message();
  const std::string before = ReadFile(Path("out.jfr"));
  EXPECT_EQ(ReadSound("out.jfr").Count("jdk.JVMInformation"), 1);
  process.value().SendSignal(SIGKILL);
  EXPECT_EQ(process.value().Wait().signal, SIGKILL);
  EXPECT_EQ(ReadFile(Path("out.jfr")), before);
}

// ZGC's threads end before the JVM does. A thread that needs memory after that gets none.
TEST_P(ExitTest, AJvmWithoutMemoryEndsAndReportsAnIncompleteRecording) {
  int complete = 0;
  for (const char* const events :
       {"lock=100us", "alloc=64k,live", "trace=FullAtExit.main:count+java.lang.Thread.sleep"}) {
    SCOPED_TRACE(events);
    const ProcessResult run = RunProfiled(
        std::string("start,") + events + ",file=" + Path("out.jfr"), {"FullAtExit", "4", "500"},
        {"-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC", "-Xmx64m"});
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_THAT(run.out, testing::HasSubstr("ended=1"));
    const bool is_complete = AgentLog(run.err).LinesWith("stopped: ") == 1;
    EXPECT_EQ(AgentLog(run.err).LinesWith("out.jfr is not complete"), is_complete ? 0 : 1)
        << run.err;
    ReadSound("out.jfr");
    complete += is_complete ? 1 : 0;
  }
  EXPECT_GT(complete, 0);
}

}  // namespace
}  // namespace jprof::test
