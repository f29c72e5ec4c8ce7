// Tests the attach client against a fake HotSpot that answers, hangs, dies, or talks nonsense.
#include "attach/attach_client.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "attach/fake_jvm.h"
#include "os/read_file.h"

namespace jprof {
namespace {

using test::FakeJvm;
using test::Replying;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Nanos kLong = 60 * kNanosPerSecond;   // a time that no test waits for
constexpr Nanos kShort = kNanosPerSecond / 20;  // a time that some tests wait for

class AttachClientTest : public testing::Test {
 protected:
  AttachClientTest() {
    std::string pattern = testing::TempDir() + "attach-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    plan_.folder = folder_;
  }
  ~AttachClientTest() override { std::filesystem::remove_all(folder_); }

  Outcome<AttachReply> Execute(const FakeJvm& jvm, Nanos patience_ns,
                               const AttachRequest& request = {"load", {"/l.so", "true", "x"}}) {
    Outcome<TargetProcess> target = TargetProcess::Open(jvm.pid());
    if (!target) return target.error();
    Outcome<TargetFolder> temp = TargetFolder::OpenHere(folder_, geteuid(), getegid());
    if (!temp) return temp.error();
    return AttachClient(target.value(), temp.value()).Execute(request, Deadline::In(patience_ns));
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const std::string name = entry.path().filename();
      if (name != "libjvm.so" && !name.starts_with(".java_pid")) names.push_back(name);
    }
    return names;
  }

  std::string TriggerOf(const FakeJvm& jvm) const {
    return ".attach_pid" + std::to_string(jvm.pid());
  }

  // Returns a connection to the socket that the JVM has opened; an invalid descriptor if the queue
  // of the socket is full.
  ScopedFd ConnectTo(const FakeJvm& jvm) const {
    ScopedFd connection(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (folder_ + "/.java_pid" + std::to_string(jvm.pid()))
        .copy(address.sun_path, sizeof address.sun_path - 1);
    const bool is_made =
        connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    return is_made ? std::move(connection) : ScopedFd();
  }

  std::string folder_;
  FakeJvm::Plan plan_;
};

// True if SIGQUIT is pending for the process. A FakeJvm blocks SIGQUIT while it serves, so that the
// signal stays pending.
bool HasQuitPending(pid_t pid) {
  const Result<std::string> status = ReadFile("/proc/" + std::to_string(pid) + "/status");
  const std::string key = "ShdPnd:\t";
  const size_t at = status.value().find(key);
  const uint64_t pending = std::stoull(status.value().substr(at + key.size()), nullptr, 16);
  return (pending >> (SIGQUIT - 1) & 1) != 0;
}

#define EXPECT_FAILURE(outcome, expected_kind, text)                             \
  {                                                                              \
    const auto& result = (outcome);                                              \
    ASSERT_FALSE(result.ok());                                                   \
    EXPECT_EQ(result.error().kind(), expected_kind) << result.error().message(); \
    EXPECT_THAT(result.error().message(), HasSubstr(text));                      \
  }

TEST_F(AttachClientTest, ReturnsTheReplyAndRemovesTheTriggerFile) {
  plan_.serve = Replying("0\nreturn code: 0\n");
  const FakeJvm jvm(plan_);
  const Outcome<AttachReply> reply = Execute(jvm, kLong);
  ASSERT_TRUE(reply.ok()) << reply.error().message();
  EXPECT_EQ(reply.value().text, "return code: 0\n");
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_TRUE(Execute(jvm, kLong).ok());  // now the JVM listens already
}

TEST_F(AttachClientTest, TheJvmGetsExactlyTheRequest) {
  plan_.serve = [](int connection, const std::string& request) {
    const std::string reply = "0\n" + request;
    if (write(connection, reply.data(), reply.size()) < 0) _exit(1);
  };
  const FakeJvm jvm(plan_);
  const Outcome<AttachReply> reply = Execute(jvm, kLong);
  ASSERT_TRUE(reply.ok()) << reply.error().message();
  EXPECT_EQ(reply.value().text, Encode({"load", {"/l.so", "true", "x"}}, AttachVersion::k1));
}

TEST_F(AttachClientTest, ReadsAReplyThatComesByteByByte) {
  plan_.serve = [](int connection, const std::string&) {
    for (const char c : std::string("0\nreturn code: 7\n")) {
      if (write(connection, &c, 1) != 1) _exit(1);
      usleep(500);
    }
  };
  const FakeJvm jvm(plan_);
  const Outcome<AttachReply> reply = Execute(jvm, kLong);
  ASSERT_TRUE(reply.ok()) << reply.error().message();
  EXPECT_EQ(InterpretLoad(reply.value()).return_code, 7);
}

TEST_F(AttachClientTest, SendsALongRequestOnlyToAJvmWithVersion2) {
  const AttachRequest request{"load", {"/l.so", "true", std::string(3000, 'x')}};
  plan_.serve = [](int connection, const std::string& got) {
    const bool question = got.find("getversion") != std::string::npos;
    const std::string reply = question ? "0\n2" : "0\n" + std::to_string(got.size());
    if (write(connection, reply.data(), reply.size()) < 0) _exit(1);
  };
  {
    const FakeJvm jvm(plan_);
    const Outcome<AttachReply> reply = Execute(jvm, kLong, request);
    ASSERT_TRUE(reply.ok()) << reply.error().message();
    EXPECT_EQ(reply.value().text, std::to_string(Encode(request, AttachVersion::k2).size()));
  }
  plan_.serve = Replying("101\nOperation getversion not recognized!\n");
  const FakeJvm older(plan_);
  EXPECT_FAILURE(Execute(older, kLong, request), FailureKind::kUsage, "too long");
}

TEST_F(AttachClientTest, ReportsAnEmptyOrMalformedReply) {
  plan_.serve = [](int, const std::string&) {};
  {
    const FakeJvm jvm(plan_);
    EXPECT_FAILURE(Execute(jvm, kLong), FailureKind::kNoAttach, "without a reply");
  }
  plan_.serve = Replying("HTTP/1.1 400 Bad Request\n");
  const FakeJvm jvm(plan_);
  EXPECT_FAILURE(Execute(jvm, kLong), FailureKind::kNoAttach, "not of the attach protocol");
}

TEST_F(AttachClientTest, AnEndlessReplyIsCutOff) {
  plan_.serve = [](int connection, const std::string&) {
    const std::string noise(65536, '7');
    while (send(connection, noise.data(), noise.size(), MSG_NOSIGNAL) > 0) {
    }
  };
  const FakeJvm jvm(plan_);
  EXPECT_FAILURE(Execute(jvm, kLong), FailureKind::kNoAttach, "not of the attach protocol");
}

TEST_F(AttachClientTest, DoesNotWaitForAJvmThatHasDied) {
  plan_.serve = [](int, const std::string&) { kill(getpid(), SIGKILL); };
  const FakeJvm jvm(plan_);
  EXPECT_FAILURE(Execute(jvm, kLong), FailureKind::kExited, "ended");
}

TEST_F(AttachClientTest, GivesUpOnAJvmThatNeverOpensItsSocket) {
  plan_.opens_socket = false;
  const FakeJvm jvm(plan_);
  EXPECT_FAILURE(Execute(jvm, kShort), FailureKind::kNoAnswer, "did not open its attach socket");
  // The file stays, because SIGQUIT is pending: a JVM that handles SIGQUIT without the file prints
  // a thread dump.
  EXPECT_THAT(Files(), ElementsAre(TriggerOf(jvm)));
}

TEST_F(AttachClientTest, SendsNoSignalWhileTheQueueIsFull) {
  plan_.serve = [](int connection, const std::string&) {
    send(connection, "0\n", 2, MSG_NOSIGNAL);  // raises no SIGPIPE if the client has gone
  };
  const FakeJvm jvm(plan_);
  ASSERT_TRUE(Execute(jvm, kLong).ok());
  std::vector<ScopedFd> queue;
  queue.push_back(ConnectTo(jvm));  // occupies the JVM with a request that never ends
  ASSERT_EQ(send(queue.front().get(), "1", 1, MSG_NOSIGNAL), 1);
  for (int unread = 1; unread != 0;) ASSERT_EQ(ioctl(queue.front().get(), SIOCOUTQ, &unread), 0);
  while (queue.back().valid()) queue.push_back(ConnectTo(jvm));
  ASSERT_GT(queue.size(), 2U);
  EXPECT_FAILURE(Execute(jvm, kShort), FailureKind::kNoAnswer, "did not take the connection");
  EXPECT_FALSE(HasQuitPending(jvm.pid()));
  EXPECT_THAT(Files(), IsEmpty());
  queue.clear();
  EXPECT_TRUE(Execute(jvm, kLong).ok());
  EXPECT_FALSE(HasQuitPending(jvm.pid()));
}

TEST_F(AttachClientTest, OnlyOneClientAtATimeStartsTheListener) {
  plan_.serve = Replying("0\n");
  const FakeJvm jvm(plan_);
  {
    const ScopedFd other(
        open((folder_ + "/" + TriggerOf(jvm)).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(flock(other.get(), LOCK_EX), 0);
    // The client sends no signal; after a signal, the JVM would have opened its socket.
    EXPECT_FAILURE(Execute(jvm, kShort), FailureKind::kNoAnswer, "did not open its attach socket");
    EXPECT_THAT(Files(), ElementsAre(TriggerOf(jvm)));
  }
  EXPECT_TRUE(Execute(jvm, kLong).ok());  // the other client no longer holds the lock
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(AttachClientTest, RemovesATriggerFileIfTheJvmListens) {
  plan_.serve = Replying("0\n");
  const FakeJvm jvm(plan_);
  ASSERT_TRUE(Execute(jvm, kLong).ok());
  std::ofstream(folder_ + "/" + TriggerOf(jvm)) << "";
  EXPECT_TRUE(Execute(jvm, kLong).ok());
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(AttachClientTest, GivesUpOnAJvmThatNeverReplies) {
  plan_.serve = [](int, const std::string&) { pause(); };
  const FakeJvm jvm(plan_);
  EXPECT_FAILURE(Execute(jvm, kShort), FailureKind::kNoAnswer, "did not answer");
}

TEST_F(AttachClientTest, ReportsAStoppedJvm) {
  plan_.serve = [](int, const std::string&) { raise(SIGSTOP); };
  const FakeJvm jvm(plan_);
  EXPECT_FAILURE(Execute(jvm, kShort), FailureKind::kNoAnswer, "stopped: continue it");
  EXPECT_FAILURE(Execute(jvm, kLong), FailureKind::kNoAnswer, "stopped: continue it");
}

TEST_F(AttachClientTest, SendsNoSignalThatTheProcessDoesNotCatch) {
  plan_.catches_quit = false;
  const FakeJvm jvm(plan_);
  EXPECT_FAILURE(Execute(jvm, kLong), FailureKind::kNoAttach, "-Xrs");
  EXPECT_EQ(kill(jvm.pid(), 0), 0);
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(AttachClientTest, ReplacesTheSocketOfADeadProcess) {
  plan_.serve = Replying("0\n");
  plan_.opens_socket = false;
  const FakeJvm jvm(plan_);
  const std::string path = folder_ + "/.java_pid" + std::to_string(jvm.pid());
  {
    const ScopedFd left(socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(bind(left.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  EXPECT_FAILURE(Execute(jvm, kShort), FailureKind::kNoAnswer, "did not open its attach socket");
}

TEST_F(AttachClientTest, RefusesASocketOfAnotherProcess) {
  plan_.serve = Replying("0\n");
  const FakeJvm jvm(plan_);
  const std::string path = folder_ + "/.java_pid" + std::to_string(jvm.pid());
  const ScopedFd other(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(other.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(other.get(), 5), 0);
  EXPECT_FAILURE(Execute(jvm, kShort), FailureKind::kNoAttach,
                 "socket of process " + std::to_string(getpid()));
}

TEST_F(AttachClientTest, RefusesAFileInPlaceOfTheSocket) {
  plan_.serve = Replying("0\n");
  const FakeJvm jvm(plan_);
  std::ofstream(folder_ + "/.java_pid" + std::to_string(jvm.pid())) << "trap";
  EXPECT_FAILURE(Execute(jvm, kLong), FailureKind::kPermission, "another program");
}

TEST_F(AttachClientTest, TakesOverTheTriggerFileOfAKilledClient) {
  plan_.serve = Replying("0\n");
  const FakeJvm jvm(plan_);
  std::ofstream(folder_ + "/.attach_pid" + std::to_string(jvm.pid())) << "";
  EXPECT_TRUE(Execute(jvm, kLong).ok());
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(AttachClientTest, ReportsAProcessThatIsNotAHotSpotJvm) {
  plan_.mapped = "";
  {
    const FakeJvm jvm(plan_);
    EXPECT_FAILURE(Execute(jvm, kLong), FailureKind::kNotAJvm, "is not a JVM");
  }
  plan_.mapped = "libj9vm29.so";
  {
    const FakeJvm jvm(plan_);
    EXPECT_FAILURE(Execute(jvm, kLong), FailureKind::kNotAJvm, "OpenJ9");
  }
  EXPECT_FAILURE(TargetProcess::Open(1 << 22), FailureKind::kNoProcess, "there is no process");
}

TEST_F(AttachClientTest, ReportsAZombieAsEnded) {
  const FakeJvm jvm(plan_);
  jvm.Signal(SIGKILL);
  jvm.AwaitEnd();
  EXPECT_FAILURE(Execute(jvm, kLong), FailureKind::kNoProcess, "zombie");
}

TEST_F(AttachClientTest, DoesNotTrustDataOfAPidWhoseProcessHasEnded) {
  const FakeJvm jvm(plan_);
  Outcome<TargetProcess> target = TargetProcess::Open(jvm.pid());
  ASSERT_TRUE(target.ok()) << target.error().message();
  jvm.Signal(SIGKILL);
  jvm.AwaitEnd();
  EXPECT_FAILURE(target.value().MappedFiles(), FailureKind::kExited, "has ended");
  EXPECT_FAILURE(target.value().Refresh(), FailureKind::kNoProcess, "has ended");
}

}  // namespace
}  // namespace jprof
