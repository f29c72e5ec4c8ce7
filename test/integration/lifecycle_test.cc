// Recordings that start and stop one after another in one JVM.
#include <filesystem>
#include <fstream>

#include "integration/server.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kCycles = 12;

size_t EntriesOf(const std::string& folder) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

class LifecycleTest : public JvmTest {
 protected:
  std::string Start(const std::string& name) const { return "start,event=cpu,file=" + Path(name); }
};
JPROF_ON_EVERY_JDK(LifecycleTest);

TEST_P(LifecycleTest, RefusesASecondStartAndKeepsTheFirst) {
  auto server = ServerProcess::Start(Java({"Server", "1", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  EXPECT_TRUE(Attach(pid, Start("first.jfr")).Accepted());
  const AttachResult second = Attach(pid, Start("second.jfr"));
  EXPECT_TRUE(second.Refused()) << second.output;
  server.value().AwaitCpu(0.3 * kSecond);
  EXPECT_TRUE(Attach(pid, "stop").Accepted());
  EXPECT_EQ(server.value().Quit().exit_code, 0);
  EXPECT_THAT(FilesInFolder(), ElementsAre("first.jfr"));
  EXPECT_GE(SamplesOf(ReadSound("first.jfr"), kExecutionSample, "busy-0").size(), 29u);
}

TEST_P(LifecycleTest, RefusesAStopWithoutAStart) {
  auto server = ServerProcess::Start(Java({"Server", "0", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  EXPECT_TRUE(Attach(server.value().pid(), "stop").Refused());
  EXPECT_TRUE(Attach(server.value().pid(), Start("out.jfr")).Accepted());
  EXPECT_TRUE(Attach(server.value().pid(), "stop").Accepted());
  EXPECT_TRUE(Attach(server.value().pid(), "stop").Refused());
  EXPECT_EQ(server.value().Quit().exit_code, 0);
}

TEST_P(LifecycleTest, StopsALaunchRecordingByAttach) {
  auto server =
      ServerProcess::Start(Java({"Server", "1", "0"}, {AgentArgument(Start("launch.jfr"))}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  server.value().AwaitCpu(0.1 * kSecond);
  EXPECT_TRUE(Attach(server.value().pid(), "stop").Accepted());
  EXPECT_THAT(FilesInFolder(), ElementsAre("launch.jfr"));
  const auto written = std::filesystem::last_write_time(Path("launch.jfr"));
  const ProcessResult end = server.value().Quit();
  EXPECT_EQ(end.exit_code, 0) << end.Describe();
  EXPECT_EQ(std::filesystem::last_write_time(Path("launch.jfr")), written);
  EXPECT_EQ(AgentLog(end.err).lines().size(), 2u) << end.err;
}

TEST_P(LifecycleTest, TheFileIsReadableWhenStartReturns) {
  std::ofstream(Path("out.jfr")) << "older";
  auto server = ServerProcess::Start(Java({"Server", "1", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  EXPECT_TRUE(Attach(server.value().pid(), Start("out.jfr")).Accepted());
  const Recording at_start = ReadSound("out.jfr");
  EXPECT_EQ(at_start.Count("jdk.JVMInformation"), 1);
  EXPECT_EQ(at_start.Count("jdk.ActiveRecording"), 1);
  server.value().AwaitCpu(0.1 * kSecond);
  EXPECT_TRUE(Attach(server.value().pid(), "stop").Accepted());
  EXPECT_EQ(server.value().Quit().exit_code, 0);
  EXPECT_GT(ReadSound("out.jfr").Count(kExecutionSample), 0);
}

TEST_P(LifecycleTest, CyclesLeakNeitherThreadsNorFiles) {
  auto server = ServerProcess::Start(Java({"Server", "1", "2"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  const std::string proc = "/proc/" + std::to_string(pid);
  std::vector<std::string> paths;
  std::vector<size_t> threads;
  std::vector<size_t> files;
  for (int i = 0; i < kCycles; ++i) {
    const std::string name = std::to_string(i) + ".jfr";
    paths.push_back(Path(name));
    const AttachResult start = Attach(pid, Start(name));
    ASSERT_TRUE(start.Accepted()) << name << start.output;
    server.value().AwaitCpu(0.05 * kSecond);
    const AttachResult stop = Attach(pid, "stop");
    ASSERT_TRUE(stop.Accepted()) << name << stop.output;
    threads.push_back(EntriesOf(proc + "/task"));
    files.push_back(EntriesOf(proc + "/fd"));
  }
  const ProcessResult end = server.value().Quit();
  EXPECT_EQ(end.exit_code, 0) << end.Describe();
  EXPECT_EQ(AgentLog(end.err).lines().size(), 2u * kCycles);
  // A leak of one thread per cycle would be far more than the compiler threads that the JVM itself
  // starts and ends now and then.
  EXPECT_LE(threads.back(), threads[2] + kCycles / 4);
  EXPECT_LE(files.back(), files[2] + kCycles / 4);

  const auto recordings = Recording::ReadAll(jdk(), paths);
  ASSERT_TRUE(recordings.ok()) << recordings.error().message();
  for (const Recording& recording : recordings.value()) {
    EXPECT_GE(SamplesOf(recording, kExecutionSample, "busy-0").size(), 4u);
    EXPECT_THAT(UnresolvedReferences(recording), IsEmpty());
  }
}

}  // namespace
}  // namespace jprof::test
