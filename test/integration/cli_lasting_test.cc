// The recording that remains if other programs change its file, if a start fails, and if jprof is
// killed.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr double kMoment = 0.2e9;  // CPU time in ns

size_t TasksOf(pid_t pid) {
  const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(pid) + "/task");
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

std::vector<std::string> AsUser(const std::string& user) {
  return {"/usr/bin/setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups", "--"};
}

// Limits the tasks of the process by prlimit, run as `user`: root might lack the capability to set
// the limits of other users' processes.
void SetMostTasks(const std::string& user, pid_t pid, size_t most) {
  ProcessSpec spec;
  spec.argv = AsUser(user);
  spec.argv.insert(spec.argv.end(), {"/usr/bin/prlimit", "--pid", std::to_string(pid),
                                     "--nproc=" + std::to_string(most) + ":"});
  const ProcessResult set = RunProcess(spec);
  ASSERT_EQ(set.exit_code, 0) << set.Describe();
}

class CliRecordingFileTest : public CliServerTest {};
JPROF_ON_EVERY_JDK(CliRecordingFileTest);

TEST_P(CliRecordingFileTest, ContinuesInANewFileWhenTheFileIsCut) {
  EXPECT_EQ(JprofOn(pid(), {"start", "-o", "out.jfr"}).exit_code, 0);
  server().AwaitCpu(kMoment);
  EXPECT_THAT(JprofOn(pid(), {"dump"}), Printed(" in " + Path("out.jfr")));
  std::filesystem::resize_file(Path("out.jfr"), 0);
  server().AwaitCpu(kMoment);
  EXPECT_THAT(JprofOn(pid(), {"dump"}), Printed(" in " + Path("out-2.jfr")));
  EXPECT_THAT(JprofOn(pid(), {"status"}), Printed("file      " + Path("out-2.jfr")));
  server().AwaitCpu(kMoment);
  EXPECT_THAT(JprofOn(pid(), {"stop"}), Printed("1 files changed by another program"));
  EXPECT_THAT(FilesInFolder(), testing::ElementsAre("out-2.jfr", "out.jfr"));
  EXPECT_EQ(std::filesystem::file_size(Path("out.jfr")), 0u);
  const Recording rest = ReadSound("out-2.jfr");
  EXPECT_GE(SamplesOf(rest, kExecutionSample, "busy-0").size(), 15u);
  EXPECT_EQ(rest.Count("jdk.DataLoss"), 1);
  EXPECT_EQ(AgentLog(server().Quit().err).LinesWith("was cut by another program"), 1);
}

TEST_P(CliRecordingFileTest, RemovesFilesThatKilledJvmsLeft) {
  for (const std::string name : {"out.jfr", "other.jfr"}) {
    auto killed = ServerProcess::Start(Java({"Server", "1", "0"}));
    ASSERT_TRUE(killed.ok()) << killed.error().message();
    EXPECT_EQ(JprofOn(killed.value().pid(), {"start", "-o", name}).exit_code, 0);
    kill(killed.value().pid(), SIGKILL);
    killed.value().Quit();
  }
  auto alive = ServerProcess::Start(Java({"Server", "1", "0"}));
  ASSERT_TRUE(alive.ok()) << alive.error().message();
  EXPECT_EQ(JprofOn(alive.value().pid(), {"start", "-o", "out.jfr"}).exit_code, 0);
  EXPECT_EQ(JprofOn(pid(), {"start", "-o", "out.jfr"}).exit_code, 0);  // under a name beside it
  EXPECT_EQ(JprofOn(alive.value().pid(), {"stop"}).exit_code, 0);
  EXPECT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
  const std::vector<std::string> left = FilesInFolder();
  EXPECT_THAT(left, testing::Not(testing::Contains(HasSubstr(".out.jfr"))));
  EXPECT_THAT(left, testing::Contains(HasSubstr(".other.jfr.")));
  ReadSound("out.jfr");
}

TEST_P(CliRecordingFileTest, AFailedStartKeepsTheOlderRecording) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be a user of whom nothing else runs";
  const std::string user = std::to_string(54000 + jdk().major);
  ProcessSpec spec = Java({"Server", "1", "0"});
  const std::vector<std::string> become = AsUser(user);
  spec.argv.insert(spec.argv.begin(), become.begin(), become.end());
  ASSERT_EQ(mkdir(Path("own").c_str(), 0777), 0);
  ASSERT_EQ(chmod(folder().c_str(), 0755), 0);
  ASSERT_EQ(chmod(Path("own").c_str(), 0777), 0);
  auto server = ServerProcess::Start(spec);
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t target = server.value().pid();
  const ProcessResult first = JprofOn(target, {"start", "-o", Path("own/x.jfr")});
  ASSERT_EQ(first.exit_code, 0) << first.Describe();
  EXPECT_EQ(JprofOn(target, {"stop"}).exit_code, 0);
  const std::string before = Content("own/x.jfr");
  ASSERT_FALSE(before.empty());
  int failed = 0;
  for (size_t more = 0; more < 20; ++more) {
    SetMostTasks(user, target, TasksOf(target) + more);
    const ProcessResult start =
        JprofOn(target, {"start", "-e", "cpu,wall", "--timeout", "1h", "-o", Path("own/x.jfr")});
    if (start.exit_code == 0) break;
    ++failed;
    EXPECT_EQ(Content("own/x.jfr"), before) << start.Describe();
  }
  EXPECT_GE(failed, 3) << "nothing failed behind the recorder";
  EXPECT_EQ(JprofOn(target, {"stop"}).exit_code, 0);
  EXPECT_NE(Content("own/x.jfr"), before);
}

// Fixture with a `jprof record` that cannot end its recording because another program interfered.
class CliBesideOthersTest : public CliServerTest {
 protected:
  RunningProcess StartRecord(const std::string& output) {
    ProcessSpec spec = JprofSpec({"record", "-d", "1h", "-o", output, std::to_string(pid())});
    spec.working_directory = folder();
    auto record = RunningProcess::Start(spec);
    EXPECT_TRUE(record.ok()) << record.error().message();
    AwaitRecording(pid());
    server().AwaitCpu(kMoment);
    return std::move(record).value();
  }
};
JPROF_ON_EVERY_JDK(CliBesideOthersTest);

TEST_P(CliBesideOthersTest, DoesNotStopTheRecordingOfAnotherClient) {
  for (const std::string output : {"own.jfr", "own.collapsed"}) {
    RunningProcess record = StartRecord(output);
    EXPECT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
    EXPECT_EQ(JprofOn(pid(), {"start", "-o", "other.jfr"}).exit_code, 0);
    record.SendSignal(SIGINT);
    const ProcessResult ended = record.Wait();
    EXPECT_THAT(ended, FailedWith(1, "now records to " + Path("other.jfr")));
    EXPECT_THAT(ended.err, HasSubstr("what was recorded is in " + Path(output)));
    EXPECT_THAT(JprofOn(pid(), {"status"}), Printed("file      " + Path("other.jfr")));
    EXPECT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
  }
  EXPECT_FALSE(SamplesOf(ReadSound("own.jfr"), kExecutionSample, "busy-0").empty());
  EXPECT_THAT(Content("own.collapsed"), HasSubstr("Work.spin"));
}

// The test puts a file of another user in the place of the JVM's attach socket.
TEST_P(CliBesideOthersTest, KeepsARecordingThatCannotBeStopped) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make what belongs to another user";
  const NewFiles in_tmp("/tmp");
  RunningProcess record = StartRecord("out.collapsed");
  const std::string socket = "/tmp/.java_pid" + std::to_string(pid());
  const std::string moved = "/tmp/.moved_java_pid" + std::to_string(pid());
  std::filesystem::rename(socket, moved);
  std::ofstream(socket) << "";
  ASSERT_EQ(chown(socket.c_str(), 54321, 54321), 0);
  record.SendSignal(SIGINT);
  EXPECT_THAT(record.Wait(), FailedWith(6, "keeps the recording in " + Path("out.collapsed")));
  std::filesystem::rename(moved, socket);
  while (JprofOn(pid(), {"status"}).out.find("state     idle") == std::string::npos) {
    server().AwaitCpu(kMoment / 10);
  }
  EXPECT_THAT(Content("out.collapsed"), HasSubstr("Work.spin"));
  EXPECT_THAT(in_tmp.LeftWith(".jprof-"), testing::IsEmpty());
  EXPECT_EQ(AgentLog(server().Quit().err).LinesWith("another program"), 0);  // nothing was lost
}

// Fixture with a recording that a killed `jprof record` leaves.
class CliKilledTest : public CliTest {
 protected:
  void StartAndKill(ServerProcess& server, const std::string& output) {
    const pid_t pid = server.pid();
    const NewFiles in_tmp("/tmp");
    ProcessSpec spec = JprofSpec({"record", "-d", "1h", "-o", output, std::to_string(pid)});
    spec.working_directory = folder();
    auto record = RunningProcess::Start(spec);
    ASSERT_TRUE(record.ok()) << record.error().message();
    AwaitRecording(pid);
    server.AwaitCpu(kMoment);
    record.value().SendSignal(SIGKILL);
    record.value().Wait();
    while (JprofOn(pid, {"status"}).out.find("state     idle") == std::string::npos) {
      server.AwaitCpu(kMoment / 10);
    }
    EXPECT_THAT(in_tmp.LeftWith(".jprof-"), testing::IsEmpty());
  }
};
JPROF_ON_EVERY_JDK(CliKilledTest);

TEST_P(CliKilledTest, LeavesItsSamplesInTheRequestedFile) {
  auto server = ServerProcess::Start(Java({"Server", "1", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  StartAndKill(server.value(), "out.jfr");
  EXPECT_FALSE(SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").empty());
  EXPECT_THAT(JprofOn(pid, {"status"}), Printed(Path("out.jfr") + " holds it"));
  const ProcessResult next = JprofOn(pid, {"record", "-d", "100ms", "-o", "next.jfr"});
  EXPECT_THAT(next, Printed(Path("next.jfr")));
  EXPECT_THAT(next.err, HasSubstr("ended when its jprof record died: " + Path("out.jfr")));

  StartAndKill(server.value(), "out.collapsed");
  EXPECT_THAT(Content("out.collapsed"), HasSubstr("Work.spin"));
  EXPECT_THAT(FilesInFolder(), testing::ElementsAre("next.jfr", "out.collapsed", "out.jfr"));
}

TEST_P(CliKilledTest, AViewOfANewRecordingLeavesNothing) {
  auto server = ServerProcess::Start(Java({"Server", "1", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  const NewFiles in_tmp("/tmp");
  auto view = RunningProcess::Start(JprofSpec({"view", "hot", "-d", "1h", std::to_string(pid)}));
  ASSERT_TRUE(view.ok()) << view.error().message();
  AwaitRecording(pid);
  server.value().AwaitCpu(kMoment);
  EXPECT_FALSE(in_tmp.LeftWith("jprof-view-").empty());
  view.value().SendSignal(SIGKILL);
  view.value().Wait();
  while (JprofOn(pid, {"status"}).out.find("state     idle") == std::string::npos) {
    server.value().AwaitCpu(kMoment / 10);
  }
  EXPECT_THAT(in_tmp.LeftWith("jprof-view-"), testing::IsEmpty());
  EXPECT_THAT(in_tmp.LeftWith(".jprof-"), testing::IsEmpty());
}

TEST_P(CliKilledTest, LeavesAnotherUsersRecordingUnderAReportedName) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be two users";
  ProcessSpec spec = Java({"Server", "1", "0"});
  const std::vector<std::string> become = AsUser("54321");
  spec.argv.insert(spec.argv.begin(), become.begin(), become.end());
  auto server = ServerProcess::Start(spec);
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  const NewFiles in_tmp("/tmp");
  StartAndKill(server.value(), "out.html");
  const auto kept = in_tmp.With("profile-" + std::to_string(pid) + '-');
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_THAT(JprofOn(pid, {"status"}), Printed(kept.front() + " holds it"));
  std::filesystem::copy_file(kept.front(), Path("kept.jfr"));
  std::filesystem::remove(kept.front());
  EXPECT_FALSE(SamplesOf(ReadSound("kept.jfr"), kExecutionSample, "busy-0").empty());
}

TEST_P(CliKilledTest, KeepsIgnoredSignalsIgnored) {
  auto server = ServerProcess::Start(Java({"Server", "1", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  ProcessSpec spec =
      JprofSpec({"record", "-d", "1h", "-o", "out.jfr", std::to_string(server.value().pid())});
  spec.argv.insert(spec.argv.begin(), {"/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh"});
  spec.working_directory = folder();
  auto record = RunningProcess::Start(spec);
  ASSERT_TRUE(record.ok()) << record.error().message();
  AwaitRecording(server.value().pid());
  std::string line;
  std::ifstream status("/proc/" + std::to_string(record.value().pid()) + "/status");
  while (std::getline(status, line) && !line.starts_with("SigIgn:")) {
  }
  const uint64_t ignored = std::stoull(line.substr(line.find('\t')), nullptr, 16);
  EXPECT_TRUE(ignored >> (SIGHUP - 1) & 1) << line;
  EXPECT_FALSE(ignored >> (SIGINT - 1) & 1) << line;
  record.value().SendSignal(SIGINT);
  EXPECT_THAT(record.value().Wait(), Printed("out.jfr"));
}

}  // namespace
}  // namespace jprof::test
