// Tests Recording with recordings that the JDK itself made.
#include "support/jvm/recording.h"

#include <algorithm>

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

TEST_P(RecordingTest, ReadsThreadsMethodsAndLinesOfAJdkRecording) {
  const ProcessResult run = RunRecorded(Path("jdk.jfr"));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  // ReadSound is not used: the JDK can write a sample without a thread.
  const auto recording = Recording::Read(jdk(), Path("jdk.jfr"));
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const std::vector<Event> samples = SamplesOf(recording.value(), kExecutionSample, "busy-1");
  const auto sample = std::find_if(samples.begin(), samples.end(),
                                   [](const Event& each) { return each.HasFrame("BusyLoop.run"); });
  ASSERT_NE(sample, samples.end());
  EXPECT_EQ(sample->Text("state"), "STATE_RUNNABLE");
  EXPECT_EQ(sample->frames.back().method, "java.lang.Thread.run");
  EXPECT_GT(sample->frames.front().line, 0);
  EXPECT_GT(sample->Number("sampledThread.javaThreadId"), 0);
  EXPECT_EQ(sample->Text("sampledThread.group"), "main");
  EXPECT_GE(recording.value().Count("jdk.JVMInformation"), 1);
  const auto& methods = recording.value().methods();
  EXPECT_EQ(methods.at("BusyLoop.run").modifiers, "public");
  EXPECT_EQ(methods.at("BusyLoop.run").loader, "app");
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
