// Many jprofs at the same time, and a jprof that ends before it gets its answer, do not disturb the
// JVM.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CliAttachTest : public CliTest {
 protected:
  Result<ServerProcess> StartServer() const {
    return ServerProcess::Start(Java({"Server", "1", "0"}));
  }

  // Starts a server whose JVM arguments are all in an argument file (java @FILE).
  Result<ServerProcess> StartByArgumentFile(const std::vector<std::string>& jvm_arguments) const {
    ProcessSpec spec = Java({"Server", "1", "0"}, jvm_arguments);
    std::ofstream file(Path("arguments"));
    for (size_t i = 1; i < spec.argv.size(); ++i) file << '"' << spec.argv[i] << "\"\n";
    file.close();
    spec.argv = {spec.argv.front(), "@" + Path("arguments")};
    return ServerProcess::Start(spec);
  }
};
JPROF_ON_EVERY_JDK(CliAttachTest);

constexpr int kNoAttach = 5;

// Returns once the process waits in poll, as jprof does while it waits for an answer on a socket.
void AwaitSent(pid_t pid) {
  const std::string poll = std::to_string(SYS_poll) + " ";
  for (;;) {
    std::string call;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/syscall"), call);
    if (call.starts_with(poll)) return;
    usleep(1000);
  }
}

TEST_P(CliAttachTest, AnswersManyClientsWithoutAThreadDump) {
  constexpr int kClients = 40;
  auto server = StartServer();
  ASSERT_TRUE(server.ok()) << server.error().message();
  std::vector<RunningProcess> clients;
  for (int i = 0; i < kClients; ++i) {
    auto client = RunningProcess::Start(
        JprofSpec({"status", "--wait", "2m", std::to_string(server.value().pid())}));
    ASSERT_TRUE(client.ok()) << client.error().message();
    clients.push_back(std::move(client).value());
  }
  for (RunningProcess& client : clients) EXPECT_THAT(client.Wait(), Printed("state     idle"));
  const ProcessResult end = server.value().Quit();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.out, Not(HasSubstr("thread dump")));
}

TEST_P(CliAttachTest, FindsAJvmByANameInAnArgumentFile) {
  auto hidden = StartByArgumentFile({});
  ASSERT_TRUE(hidden.ok()) << hidden.error().message();
  EXPECT_THAT(Jprof({"list"}).out,
              testing::ContainsRegex(std::to_string(hidden.value().pid()) + " .* Server\n"));
  auto other = StartServer();
  ASSERT_TRUE(other.ok()) << other.error().message();
  const ProcessResult several = Jprof({"status", "Server"});
  EXPECT_THAT(several, FailedWith(kNoProcess, "give the pid of one"));
  EXPECT_THAT(several.err, HasSubstr(std::to_string(hidden.value().pid()) + " "));
  EXPECT_THAT(several.err, HasSubstr(std::to_string(other.value().pid()) + " "));
}

TEST_P(CliAttachTest, AJvmThatHandlesNoSignalsListensFromItsStart) {
  auto server = ServerProcess::Start(Java({"Server", "1", "0"}, {"-Xrs"}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  EXPECT_THAT(JprofOn(pid, {"status"}), Printed("state     idle"));
  std::filesystem::remove("/tmp/.java_pid" + std::to_string(pid));
  EXPECT_THAT(JprofOn(pid, {"status"}), FailedWith(kNoAttach, "has been removed"));
}

TEST_P(CliAttachTest, SeesDisabledAttachInAnArgumentFile) {
  auto server = StartByArgumentFile({"-XX:+DisableAttachMechanism"});
  ASSERT_TRUE(server.ok()) << server.error().message();
  EXPECT_THAT(JprofOn(server.value().pid(), {"status"}),
              FailedWith(kNoAttach, "DisableAttachMechanism"));
  EXPECT_THAT(server.value().Quit().out, Not(HasSubstr("thread dump")));
}

// In this JVM the descriptors 0, 1 and 2 belong to its own files and sockets.
TEST_P(CliAttachTest, AJvmWithoutStandardStreamsAnswers) {
  ProcessSpec spec = Java({"Sleepers", "1", "300000"});
  spec.argv.insert(spec.argv.begin(), {"/bin/sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"});
  auto program = RunningProcess::Start(spec);
  ASSERT_TRUE(program.ok()) << program.error().message();
  const pid_t pid = program.value().pid();
  AwaitThread(pid, "sleeper-0");
  EXPECT_THAT(JprofOn(pid, {"start", "-e", "wall", "-o", "out.jfr"}), Printed(Path("out.jfr")));
  EXPECT_THAT(JprofOn(pid, {"status"}), Printed("state     recording"));
  EXPECT_EQ(JprofOn(pid, {"stop"}).exit_code, 0);
  EXPECT_THAT(FilesInFolder(), testing::ElementsAre("out.jfr"));
  EXPECT_FALSE(ReadSound("out.jfr").events().empty());
}

// Returns a connection to the JVM's attach listener that sends nothing. The listener serves one
// connection at a time, so that others wait until this one is closed.
ScopedFd OccupyListener(pid_t pid) {
  ScopedFd connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ("/tmp/.java_pid" + std::to_string(pid)).copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return connection;
}

TEST_P(CliAttachTest, DropsTheCommandOfACallerThatGaveUp) {
  auto server = StartServer();
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  const NewFiles in_tmp("/tmp");
  EXPECT_THAT(JprofOn(pid, {"status"}), Printed("state     idle"));
  {
    const ScopedFd first = OccupyListener(pid);
    EXPECT_THAT(JprofOn(pid, {"start", "-o", "late.jfr", "--wait", "500ms"}),
                FailedWith(kNoAnswer, "did not answer in time"));
  }
  EXPECT_THAT(JprofOn(pid, {"status"}), Printed("state     idle"));
  EXPECT_THAT(JprofOn(pid, {"start", "-o", "out.jfr"}), Printed(Path("out.jfr")));
  for (const std::string command : {"stop", "dump"}) {
    const ScopedFd first = OccupyListener(pid);
    EXPECT_THAT(JprofOn(pid, {command, "--wait", "500ms"}),
                FailedWith(kNoAnswer, "did not answer in time"));
  }
  EXPECT_THAT(JprofOn(pid, {"status"}), Printed("state     recording"));
  EXPECT_THAT(FilesInFolder(), testing::Each(Not(HasSubstr("late"))));
  EXPECT_EQ(JprofOn(pid, {"stop"}).exit_code, 0);
  EXPECT_THAT(FilesInFolder(), testing::ElementsAre("out.jfr"));
  EXPECT_THAT(in_tmp.LeftWith(".jprof-"), IsEmpty());
  EXPECT_THAT(AgentLog(server.value().Quit().err).lines(), IsEmpty());
}

TEST_P(CliAttachTest, DropsTheCommandOfAKilledCaller) {
  auto server = StartServer();
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  const NewFiles in_tmp("/tmp");
  EXPECT_THAT(JprofOn(pid, {"status"}), Printed("state     idle"));
  {
    const ScopedFd first = OccupyListener(pid);
    ProcessSpec spec = JprofSpec({"start", "-o", Path("late.jfr"), std::to_string(pid)});
    auto client = RunningProcess::Start(spec);
    ASSERT_TRUE(client.ok()) << client.error().message();
    AwaitSent(client.value().pid());
    client.value().SendSignal(SIGINT);
    EXPECT_EQ(client.value().Wait().signal, SIGINT);
  }
  EXPECT_THAT(JprofOn(pid, {"status"}), Printed("state     idle"));
  EXPECT_THAT(FilesInFolder(), IsEmpty());
  EXPECT_THAT(in_tmp.LeftWith(".jprof-"), IsEmpty());
}

// This test calls the agent, and disappears while the JVM is stopped (SIGSTOP) in the middle of a
// start.
TEST_P(CliAttachTest, AStartWhoseCallerLeavesStartsNoRecording) {
  constexpr int kTries = 50;  // most SIGSTOPs hit the middle of the start
  auto server = StartServer();
  ASSERT_TRUE(server.ok()) << server.error().message();
  const pid_t pid = server.value().pid();
  bool was_amid = false;
  for (int i = 0; i < kTries && !was_amid; ++i) {
    const std::string digits = std::to_string(pid) + "-" + std::to_string(i);
    const std::string answer = Path(".jprof-awaited-" + digits);
    const std::string lease_path = Path(".jprof-lease-" + digits);
    ScopedFd lease(open(lease_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    ASSERT_EQ(flock(lease.get(), LOCK_EX | LOCK_NB), 0);
    std::thread caller([&] { Attach(pid, "start,file=late.jfr,answer=" + answer); });
    AwaitRecording(pid);
    kill(pid, SIGSTOP);
    was_amid = !std::filesystem::exists(answer);
    if (was_amid) lease.Reset();
    kill(pid, SIGCONT);
    caller.join();
    EXPECT_EQ(std::filesystem::exists(answer), !was_amid);
    EXPECT_THAT(JprofOn(pid, {"status"}),
                Printed(was_amid ? "state     idle" : "state     recording"));
    if (!was_amid) {
      EXPECT_EQ(JprofOn(pid, {"stop"}).exit_code, 0);
    }
    std::filesystem::remove(answer);
  }
  EXPECT_TRUE(was_amid);
}

}  // namespace
}  // namespace jprof::test
