// The recorded name of a thread is the name that it had at most one second before the sample.
#include <set>
#include <string>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;
using testing::Contains;

class RenameTest : public JvmTest {};
JPROF_ON_EVERY_JDK(RenameTest);

TEST_P(RenameTest, ARenamedThreadHasItsNewNameFromTheNextChunk) {
  const std::string start = "start,cpu=1ms,file=" + Path("out.jfr");
  const ProcessResult run =
      RunProcess(Java({"Renamed", AgentLibrary(), start, NativeLibraryFolder(), "200"}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(1));
  EXPECT_THAT(cpu["before"], IsWithin(0.1, truth.Number("cpu.before")));
  EXPECT_THAT(cpu["after"], IsWithin(0.1, truth.Number("cpu.after")));
  EXPECT_EQ(truth.Number("collected"), 1);
}

// The profiler reads a thread's name at least once a second, so that a sample can have the old name
// for one second after a change.
constexpr double kReadingNs = 1e9;
// Samples every 1 ms for 3 s: four standard errors of their CPU time are less than four intervals.
constexpr double kSamplingNs = 4e6;

TEST_P(RenameTest, AThreadHasItsNewNameWithinASecond) {
  const ProcessResult run =
      RunProfiled("start,cpu=1ms,file=" + Path("out.jfr"), {"SelfNamed", "3000", "20"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const Recording recording = ReadSound("out.jfr");
  auto cpu = NanosByThread(recording, kExecutionSample, milliseconds(1));
  const double a_ns = truth.Number("cpu.order-a");
  const double b_ns = truth.Number("cpu.order-b");
  EXPECT_NEAR(cpu["order-a"], a_ns, kReadingNs + kSamplingNs + 0.02 * a_ns);
  EXPECT_NEAR(cpu["order-b"], b_ns, kReadingNs + kSamplingNs + 0.02 * b_ns);
  EXPECT_LE(cpu["idle"], kReadingNs + kSamplingNs);
  std::set<std::string> ended;
  for (const Event& end : recording.OfType("jdk.ThreadEnd")) {
    ended.insert(end.Text("thread.javaName"));
  }
  for (int i = 0; i < 20; ++i) EXPECT_THAT(ended, Contains("brief-" + std::to_string(i)));
}

TEST_P(RenameTest, AFilterSelectsAThreadByItsNewName) {
  const ProcessResult run = RunProfiled("start,cpu=1ms,filter=order-b,file=" + Path("out.jfr"),
                                        {"SelfNamed", "3000", "20"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  auto cpu = NanosByThread(ReadSound("out.jfr"), kExecutionSample, milliseconds(1));
  const double b_ns = truth.Number("cpu.order-b");
  EXPECT_NEAR(cpu["order-b"], b_ns, kReadingNs + kSamplingNs + 0.02 * b_ns);
  EXPECT_LE(cpu["order-a"], kReadingNs + kSamplingNs);
}

TEST_P(RenameTest, AThreadHasTheGroupsInWhichItIs) {
  const ProcessResult run =
      RunProcess(Java({"NestedGroups", AgentLibrary(), "start,cpu=1ms,file=" + Path("out.jfr"),
                       NativeLibraryFolder()}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  ASSERT_EQ(ProgramOutput(run.out).Number("ended"), 1);
  const Recording recording = ReadSound("out.jfr");
  for (const std::string name : {"early", "late"}) {
    const auto samples = SamplesOf(recording, kExecutionSample, name);
    ASSERT_FALSE(samples.empty()) << name;
    EXPECT_EQ(samples[0].Text("sampledThread.groupPath"), "/system/main/outer/inn\u00e9r") << name;
  }
}

}  // namespace
}  // namespace jprof::test
