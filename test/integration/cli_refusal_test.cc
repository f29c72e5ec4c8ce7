// The message and exit code of jprof when it cannot do what it is asked to do.
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr int kNoAttach = 5;

class CliRefusalTest : public CliTest {
 protected:
  Result<ServerProcess> StartServer(const std::vector<std::string>& jvm_arguments = {}) const {
    return ServerProcess::Start(Java({"Server", "1", "0"}, jvm_arguments));
  }
};
JPROF_ON_NEWEST_JDK(CliRefusalTest);

TEST_P(CliRefusalTest, ReportsCommandsThatAreNotAllowed) {
  auto server = StartServer();
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  EXPECT_THAT(JprofOn(pid, {"stop"}), FailedWith(kRefused, "nothing is being recorded"));
  EXPECT_THAT(JprofOn(pid, {"dump"}), FailedWith(kRefused, "nothing is being recorded"));
  EXPECT_EQ(JprofOn(pid, {"start", "-o", "out.jfr"}).exit_code, 0);
  EXPECT_THAT(JprofOn(pid, {"start", "-o", "other.jfr"}), FailedWith(kRefused, Path("out.jfr")));
  EXPECT_EQ(JprofOn(pid, {"stop"}).exit_code, 0);
  EXPECT_THAT(JprofOn(pid, {"start", "-o", "missing/out.jfr"}), FailedWith(kRefused, "missing"));
  EXPECT_THAT(AgentLog(server.value().Quit().err).lines(), testing::IsEmpty());
}

TEST_P(CliRefusalTest, ASecondCopyOfTheAgentLeavesTheFirstAlone) {
  auto server = StartServer();
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  const std::string copy = Path("libprofiler.so");
  std::filesystem::copy_file(AgentLibrary(), copy);
  EXPECT_EQ(JprofOn(pid, {"start", "-o", "out.jfr"}).exit_code, 0);
  for (const std::string command : {"start", "stop", "dump"}) {
    EXPECT_THAT(JprofOn(pid, {command, "--library", copy}),
                FailedWith(kRefused, "another copy of the agent, " + AgentLibrary()));
  }
  EXPECT_EQ(JprofOn(pid, {"stop", "--library", AgentLibrary()}).exit_code, 0);
  ReadSound("out.jfr");
  EXPECT_EQ(JprofOn(pid, {"start", "--library", copy, "-o", "second.jfr"}).exit_code, 0);
  EXPECT_EQ(JprofOn(pid, {"stop", "--library", copy}).exit_code, 0);
}

TEST_P(CliRefusalTest, RefusesWrongArgumentsBeforeItActs) {
  EXPECT_THAT(Jprof({"record", "-e", "cpp", "1"}), FailedWith(kUsage, "did you mean 'cpu'"));
  EXPECT_THAT(Jprof({"record", "-d", "10x", "1"}), FailedWith(kUsage, "as in 10ms"));
  EXPECT_THAT(Jprof({"record", "-o", "/dev/stdout", "--", "true"}),
              FailedWith(kUsage, "'/dev/stdout' is a stream: with -- COMMAND name a file"));
  EXPECT_THAT(Jprof({"rekord"}), FailedWith(kUsage, "did you mean 'record'"));
  EXPECT_THAT(Jprof({"record", "--gc", "1"}), FailedWith(kUsage, "--gc is for live objects"));
  EXPECT_THAT(Jprof({"record", "--live=0", "--gc", "1"}), FailedWith(kUsage, "add --live"));
  for (const std::string option : {"--gc", "--wait=1s"}) {
    EXPECT_THAT(Jprof({"record", option, "--", "/bin/true"}), FailedWith(kUsage, "that runs"));
  }
}

TEST_P(CliRefusalTest, NamesATargetThatIsNoJvm) {
  EXPECT_THAT(Jprof({"status", ""}), FailedWith(kUsage, "TARGET is empty"));
  EXPECT_THAT(Jprof({"status", "4194304"}), FailedWith(kNoProcess, "there is no process"));
  EXPECT_THAT(Jprof({"status", "no.such.Main"}), FailedWith(kNoProcess, "'no.such.Main'"));
  EXPECT_THAT(JprofOn(getpid(), {"status"}), FailedWith(kNotAJvm, "is not a JVM"));
}

// jprof can arrive at any moment of a start: before the process is a JVM, before the JVM listens
// for attaches, or before the JVM is in JVMTI's live phase.
TEST_P(CliRefusalTest, WaitsForAStartingJvmOrAdvisesToRetry) {
  auto server = RunningProcess::Start(Java({"Server", "0", "0"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  ProcessResult status = JprofOn(pid, {"status"});
  while (status.exit_code != 0) {  // jprof gave up after one second
    ASSERT_THAT(status.err, HasSubstr("try again in a moment"));
    status = JprofOn(pid, {"status"});
  }
  EXPECT_THAT(status, Printed("state     idle"));
  server.value().WriteLine("quit");
  EXPECT_EQ(server.value().Wait().exit_code, 0);
}

TEST_P(CliRefusalTest, ANameThatFitsSeveralListsThem) {
  auto one = StartServer();
  auto other = StartServer();
  ASSERT_TRUE(one.ok() && other.ok());
  const ProcessResult result = Jprof({"status", "Server"});
  EXPECT_THAT(result, FailedWith(kNoProcess, "give the pid of one"));
  EXPECT_THAT(result.err, HasSubstr(std::to_string(one.value().pid())));
  EXPECT_THAT(result.err, HasSubstr(std::to_string(other.value().pid())));
}

TEST_P(CliRefusalTest, LeavesAJvmWithDisabledAttachAlone) {
  auto server = StartServer({"-XX:+DisableAttachMechanism"});
  ASSERT_TRUE(server.ok()) << server.error().message();
  EXPECT_THAT(JprofOn(server.value().pid(), {"status"}),
              FailedWith(kNoAttach, "DisableAttachMechanism"));
  const ProcessResult end = server.value().Quit();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.out.find("thread dump"), std::string::npos);
}

// Without the JVM's performance data (hsperfdata) jprof reads the JVM's switches itself.
TEST_P(CliRefusalTest, ReadsSwitchesInTheOrderOfTheJvm) {
  ProcessSpec spec =
      Java({"Server", "1", "0"}, {"-XX:-UsePerfData", "-XX:-DisableAttachMechanism"});
  spec.env = {{"_JAVA_OPTIONS", "-XX:+DisableAttachMechanism"}};
  auto server = ServerProcess::Start(spec);
  ASSERT_TRUE(server.ok()) << server.error().message();
  EXPECT_THAT(JprofOn(server.value().pid(), {"status"}),
              FailedWith(kNoAttach, "DisableAttachMechanism"));
  const ProcessResult end = server.value().Quit();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.out.find("thread dump"), std::string::npos);
}

TEST_P(CliRefusalTest, DoesNotWaitForAStoppedJvm) {
  auto server = StartServer();
  ASSERT_TRUE(server.ok()) << server.error().message();
  kill(server.value().pid(), SIGSTOP);
  EXPECT_THAT(JprofOn(server.value().pid(), {"status", "--wait", "2s"}),
              FailedWith(kNoAnswer, "kill -CONT"));
  kill(server.value().pid(), SIGCONT);
  EXPECT_THAT(JprofOn(server.value().pid(), {"status"}), Printed("state     idle"));
}

TEST_P(CliRefusalTest, NamesAMissingOrInvalidLibrary) {
  auto server = StartServer();
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  EXPECT_THAT(JprofOn(pid, {"status", "--library", Path("none.so")}),
              FailedWith(kLibrary, "none.so"));
  EXPECT_THAT(JprofOn(pid, {"status", "--library", "/etc/hostname"}),
              FailedWith(kLibrary, "/etc/hostname"));
}

TEST_P(CliRefusalTest, RefusesAnUnwritableOutputBeforeTheRecording) {
  auto server = StartServer();
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  for (const std::string output : {"missing/out.jfr", "missing/out.html"}) {
    EXPECT_THAT(JprofOn(pid, {"record", "-o", output}), FailedWith(kFile, "missing"));
  }
  EXPECT_THAT(JprofOn(pid, {"record", "-o", "folder/"}), FailedWith(kUsage, "names a folder"));
}

TEST_P(CliRefusalTest, OnlyRootMayProfileAnotherUsersJvm) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be two users";
  auto server = StartServer();
  ASSERT_TRUE(server.ok()) << server.error().message();
  ProcessSpec spec = JprofSpec({"status", std::to_string(server.value().pid())});
  spec.argv.insert(spec.argv.begin(), {"/usr/sbin/runuser", "-u", "nobody", "--"});
  EXPECT_THAT(RunProcess(spec), FailedWith(kPermission, "run jprof as that user or as root"));
}

}  // namespace
}  // namespace jprof::test
