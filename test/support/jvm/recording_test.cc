// The measuring side, tried on recordings that the JDK itself made.
#include "support/jvm/recording.h"

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class RecordingTest : public JvmTest {
 protected:
  ProcessResult RunRecorded(const std::string& path) const {
    return RunProcess(Java({"BusyLoop", "2", "700"},
                           {"-XX:StartFlightRecording=settings=profile,filename=" + path}));
  }
};
JPROF_ON_EVERY_JDK(RecordingTest);

TEST_P(RecordingTest, ARecordingOfTheJdkIsSoundAndNamesThreadsMethodsAndLines) {
  const ProcessResult run = RunRecorded(Path("jdk.jfr"));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadResolved("jdk.jfr");
  const std::vector<Event> samples = SamplesOf(recording, kExecutionSample, "busy-1");
  ASSERT_FALSE(samples.empty());
  EXPECT_EQ(samples.back().Text("state"), "STATE_RUNNABLE");
  EXPECT_EQ(samples.back().frames.back().method, "java.lang.Thread.run");
  EXPECT_TRUE(samples.back().HasFrame("BusyLoop.run"));
  EXPECT_GT(samples.back().frames.front().line, 0);
  EXPECT_GT(samples.back().Number("sampledThread.javaThreadId"), 0);
  EXPECT_EQ(samples.back().Text("sampledThread.group"), "main");
  EXPECT_EQ(recording.Count("jdk.JVMInformation"), 1);
}

TEST_P(RecordingTest, ACutFileIsAnError) {
  const ProcessResult run = RunRecorded(Path("jdk.jfr"));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ProcessSpec cut;
  cut.argv = {"/usr/bin/truncate", "--size=-1", Path("jdk.jfr")};
  ASSERT_EQ(RunProcess(cut).exit_code, 0);
  EXPECT_FALSE(ReadChunkHeaders(Path("jdk.jfr")).ok());
  EXPECT_FALSE(Recording::Read(jdk(), Path("jdk.jfr")).ok());
}

}  // namespace
}  // namespace jprof::test
