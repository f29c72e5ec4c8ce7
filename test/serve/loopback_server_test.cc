#include "serve/loopback_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

namespace jprof {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kRequest[] = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";

ScopedFd Connected(uint16_t port) {
  ScopedFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

// RunningServer: runs the server on a thread of its own.
class RunningServer {
 public:
  explicit RunningServer(LoopbackServer::Handler handler, const LoopbackServer::Times& times = {}) {
    Result<LoopbackServer> server = LoopbackServer::Listen(std::move(handler), times);
    EXPECT_TRUE(server.ok());
    server_.emplace(std::move(server).value());
    thread_ = std::thread([this] {
      while (!ends_.load(std::memory_order_relaxed)) {
        pollfd readable{server_->fd(), POLLIN, 0};
        poll(&readable, 1, 20);
        server_->Serve();
      }
    });
  }
  ~RunningServer() {
    ends_.store(true, std::memory_order_relaxed);
    thread_.join();
  }

  ScopedFd Connect(int family = AF_INET) const {
    if (family == AF_INET6) {
      ScopedFd fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_in6 mapped = {};
      mapped.sin6_family = AF_INET6;
      mapped.sin6_port = htons(server_->port());
      EXPECT_EQ(inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr), 1);
      EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&mapped), sizeof mapped), 0);
      return fd;
    }
    return Connected(server_->port());
  }

  std::string Ask(const std::string& request) const {
    const ScopedFd fd = Connect();
    Send(fd, request);
    return Rest(fd);
  }

  static void Send(const ScopedFd& fd, const std::string& bytes) {
    EXPECT_EQ(send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  // Returns the bytes that arrive until the server closes the connection.
  static std::string Rest(const ScopedFd& fd) {
    std::string text;
    char buffer[65536];
    ssize_t got = 0;
    while ((got = recv(fd.get(), buffer, sizeof buffer, 0)) > 0) {
      text.append(buffer, static_cast<size_t>(got));
    }
    return text;
  }

 private:
  std::optional<LoopbackServer> server_;
  std::atomic<bool> ends_{false};  // accessed in relaxed order: the flag publishes no other data
  std::thread thread_;
};

HttpResponse Echo(const HttpRequest& request) {
  return {.text = request.method + " " + request.path + " " + request.body};
}

TEST(LoopbackServerTest, ARequestIsAnsweredAndTheConnectionClosed) {
  const RunningServer server(Echo);
  const std::string answer = server.Ask(kRequest);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 11\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nReferrer-Policy: no-referrer\r\n"));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\nGET /hello "));
  EXPECT_THAT(server.Ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"),
              testing::EndsWith("POST / ab"));
  EXPECT_THAT(server.Ask("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"), testing::EndsWith("\r\n\r\n"));
  EXPECT_THAT(server.Ask("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST(LoopbackServerTest, RefusalsDoNotCountAsUse) {
  Result<LoopbackServer> listening = LoopbackServer::Listen([](const HttpRequest& request) {
    return request.path == "/hello" ? HttpResponse{.text = "hello"} : RefusalOf(404);
  });
  ASSERT_TRUE(listening.ok());
  LoopbackServer server = std::move(listening).value();
  const int64_t begin_ns = server.last_use_ns();
  const auto ask = [&server](const std::string& request) {
    const ScopedFd fd = Connected(server.port());
    RunningServer::Send(fd, request);
    bool is_answering = false;
    pollfd readable{fd.get(), POLLIN, 0};
    while (poll(&readable, 1, 1) == 0) {
      server.Serve();
      is_answering |= server.IsAnswering();
    }
    server.Serve();
    return is_answering;
  };
  EXPECT_FALSE(ask("GET /other HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_FALSE(ask("nothing\r\n\r\n"));
  EXPECT_EQ(server.last_use_ns(), begin_ns);
  ask(kRequest);
  EXPECT_GT(server.last_use_ns(), begin_ns);
}

// Returns the number of bytes that this process has read. A large increase shows that the process
// has read the list of connections, which has a line for each connection.
int64_t BytesRead() {
  std::ifstream counters("/proc/self/io");
  std::string name;
  int64_t bytes = 0;
  counters >> name >> bytes;
  EXPECT_EQ(name, "rchar:");
  return bytes;
}

TEST(LoopbackServerTest, DoesNotReadTheListOfConnectionsForARefusal) {
  constexpr int kConnections = 100;
  constexpr int kRequests = 50;
  const RunningServer idle(Echo);
  std::vector<ScopedFd> others;
  for (int i = 0; i < kConnections; ++i) others.push_back(idle.Connect());
  const RunningServer server([](const HttpRequest&) { return RefusalOf(404); });
  const int64_t before = BytesRead();
  for (int i = 0; i < kRequests; ++i) EXPECT_THAT(server.Ask(kRequest), HasSubstr(" 404 "));
  constexpr int64_t kLineBytes = 150;
  EXPECT_LT(BytesRead() - before, kRequests * kConnections * kLineBytes / 10);
}

TEST(LoopbackServerTest, KeepsAnAnswerWhileOthersConnect) {
  const ScopedFd file(memfd_create("test", MFD_CLOEXEC));
  constexpr uint64_t kBytes = 64 << 20;
  ASSERT_EQ(ftruncate(file.get(), kBytes), 0);
  const RunningServer server([&](const HttpRequest& request) {
    return request.path == "/hello" ? HttpResponse{.fd = file.get(), .fd_bytes = kBytes}
                                    : RefusalOf(404);
  });
  const ScopedFd client = server.Connect();
  RunningServer::Send(client, kRequest);
  char first = 0;
  ASSERT_EQ(recv(client.get(), &first, 1, 0), 1);
  std::vector<ScopedFd> others;
  for (size_t i = 0; i < 4 * LoopbackServer::kMaxConnections; ++i) {
    others.push_back(server.Connect());
  }
  EXPECT_THAT(server.Ask("GET /other HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr(" 404 "));
  EXPECT_GT(RunningServer::Rest(client).size(), kBytes);
}

TEST(LoopbackServerTest, AFileOfAnySizeArrivesWhole) {
  const ScopedFd file(memfd_create("test", MFD_CLOEXEC));
  std::string content(20 << 20, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 / 3);
  ASSERT_EQ(write(file.get(), content.data(), content.size()),
            static_cast<ssize_t>(content.size()));
  const RunningServer server([&](const HttpRequest&) {
    return HttpResponse{.fd = file.get(), .fd_bytes = content.size()};
  });
  const std::string answer = server.Ask(kRequest);
  EXPECT_EQ(answer.substr(answer.find("\r\n\r\n") + 4) == content, true);
}

TEST(LoopbackServerTest, SlowAndSilentClientsBlockNoOthers) {
  const ScopedFd file(memfd_create("test", MFD_CLOEXEC));
  constexpr uint64_t kBytes = 64 << 20;
  ASSERT_EQ(ftruncate(file.get(), kBytes), 0);
  const RunningServer server([&](const HttpRequest& request) {
    return request.path == "/large" ? HttpResponse{.fd = file.get(), .fd_bytes = kBytes}
                                    : Echo(request);
  });
  std::vector<ScopedFd> silent;
  for (size_t i = 0; i < 3 * LoopbackServer::kMaxConnections; ++i) {
    silent.push_back(server.Connect());
    if (i % 2 == 0) RunningServer::Send(silent.back(), "GET / HT");
  }
  const ScopedFd reads_nothing = server.Connect();
  RunningServer::Send(reads_nothing, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(server.Ask(kRequest), testing::EndsWith("GET /hello "));
}

TEST(LoopbackServerTest, AClientThatLeavesEndsOnlyItsOwnAnswer) {
  const ScopedFd file(memfd_create("test", MFD_CLOEXEC));
  constexpr uint64_t kBytes = 64 << 20;
  ASSERT_EQ(ftruncate(file.get(), kBytes), 0);
  const RunningServer server([&](const HttpRequest& request) {
    return request.path == "/large" ? HttpResponse{.fd = file.get(), .fd_bytes = kBytes}
                                    : Echo(request);
  });
  for (int i = 0; i < 20; ++i) {
    const ScopedFd client = server.Connect();
    RunningServer::Send(client, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    char first = 0;
    EXPECT_EQ(recv(client.get(), &first, 1, 0), 1);
  }
  EXPECT_THAT(server.Ask(kRequest), testing::EndsWith("GET /hello "));
}

// Runs a client in a process of `user`; returns 0 if the server recognized the user.
int ExitCodeOfClient(const RunningServer& server, uid_t user, int family) {
  const pid_t child = fork();
  if (child == 0) {
    if (user != geteuid() && setresuid(user, user, user) != 0) _exit(2);
    const ScopedFd client = server.Connect(family);
    RunningServer::Send(client, kRequest);
    _exit(RunningServer::Rest(client).ends_with("\r\n\r\n" + std::to_string(user)) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(LoopbackServerTest, PassesTheUserOfAClient) {
  const RunningServer server([](const HttpRequest& request) {
    const std::optional<uid_t> user = request.find_user();
    return HttpResponse{.text = user ? std::to_string(*user) : "nobody"};
  });
  for (const int family : {AF_INET, AF_INET6}) {
    const ScopedFd any(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!any.valid() && errno == EAFNOSUPPORT) continue;  // a machine without IPv6
    EXPECT_EQ(ExitCodeOfClient(server, geteuid(), family), 0) << family;
    if (geteuid() == 0) {
      EXPECT_EQ(ExitCodeOfClient(server, 12345, family), 0) << family;
    }
  }
}

void ServeNext(LoopbackServer& server) {
  pollfd readable{server.fd(), POLLIN, 0};
  ASSERT_EQ(poll(&readable, 1, 60'000), 1);
  server.Serve();
}

TEST(LoopbackServerTest, DoesNotServeAClosedSocketThatAForkKeeps) {
  Result<LoopbackServer> listening = LoopbackServer::Listen(Echo);
  ASSERT_TRUE(listening.ok());
  LoopbackServer server = std::move(listening).value();
  const ScopedFd client = Connected(server.port());
  ServeNext(server);  // accepts the connection
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  RunningServer::Send(client, kRequest);
  ServeNext(server);  // receives the request, answers it and closes the connection
  EXPECT_THAT(RunningServer::Rest(client), testing::EndsWith("\r\n\r\nGET /hello "));
  pollfd readable{server.fd(), POLLIN, 0};
  EXPECT_EQ(poll(&readable, 1, 0), 0) << "the closed connection is still watched";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(LoopbackServerTest, GivesUpARequestThatDoesNotEnd) {
  LoopbackServer::Times times;
  times.request_ns = 50'000'000;
  const RunningServer server(Echo, times);
  const ScopedFd client = server.Connect();
  RunningServer::Send(client, "GET / HTTP/1.1\r\n");
  EXPECT_THAT(RunningServer::Rest(client), StartsWith("HTTP/1.1 408 "));
}

TEST(LoopbackServerTest, GivesUpAnAnswerThatNoClientReads) {
  LoopbackServer::Times times;
  times.stall_ns = 50'000'000;
  const ScopedFd file(memfd_create("test", MFD_CLOEXEC));
  constexpr uint64_t kBytes = 64 << 20;
  ASSERT_EQ(ftruncate(file.get(), kBytes), 0);
  std::atomic<bool> is_asked{false};
  const RunningServer server(
      [&](const HttpRequest&) {
        is_asked.store(true, std::memory_order_release);  // pairs with the load below
        return HttpResponse{.fd = file.get(), .fd_bytes = kBytes};
      },
      times);
  const ScopedFd client = server.Connect();
  RunningServer::Send(client, kRequest);
  while (!is_asked.load(std::memory_order_acquire)) std::this_thread::yield();
  pollfd closed{client.get(), POLLRDHUP, 0};
  EXPECT_EQ(poll(&closed, 1, 60'000), 1);
  EXPECT_LT(RunningServer::Rest(client).size(), kBytes);
}

}  // namespace
}  // namespace jprof
