#include "attach/fake_jvm.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace jprof::test {
namespace {

volatile std::sig_atomic_t g_quit_seen = 0;

void MapFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0644);
  if (fd < 0 || ftruncate(fd, 4096) != 0) _exit(1);
  if (mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED) _exit(1);
  close(fd);
}

int Listen(const std::string& path) {
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) _exit(1);
  if (listen(server, 5) != 0) _exit(1);
  return server;
}

// True if the request is complete: it has five strings in version 1, and the stated number of bytes
// in version 2.
bool IsComplete(const std::string& request) {
  if (request.starts_with('2')) {
    const size_t size_end = request.find('\0', 2);
    if (size_end == std::string::npos) return false;
    return request.size() - size_end - 1 >= std::strtoul(request.c_str() + 2, nullptr, 10);
  }
  size_t strings = 0;
  for (const char c : request) strings += c == '\0';
  return strings >= 5;
}

void Serve(int server, const FakeJvm::Plan& plan) {
  for (;;) {
    const int connection = accept(server, nullptr, nullptr);
    if (connection < 0) continue;
    std::string request;
    char buffer[4096];
    ssize_t got = 1;
    while (!IsComplete(request) && got > 0) {
      got = read(connection, buffer, sizeof buffer);
      if (got > 0) request.append(buffer, static_cast<size_t>(got));
    }
    plan.serve(connection, request);
    close(connection);
  }
}

[[noreturn]] void Live(const FakeJvm::Plan& plan, int ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!plan.mapped.empty()) MapFile(plan.folder + "/" + plan.mapped);
  sigset_t quit;
  sigemptyset(&quit);
  sigaddset(&quit, SIGQUIT);
  sigprocmask(SIG_BLOCK, &quit, nullptr);
  if (plan.catches_quit) signal(SIGQUIT, [](int) { g_quit_seen = 1; });
  if (write(ready, "r", 1) != 1) _exit(1);
  const std::string pid = std::to_string(getpid());
  sigset_t none;
  sigemptyset(&none);
  for (;;) {
    sigsuspend(&none);
    const bool wanted = access((plan.folder + "/.attach_pid" + pid).c_str(), F_OK) == 0;
    if (g_quit_seen != 0 && wanted && plan.opens_socket) {
      Serve(Listen(plan.folder + "/.java_pid" + pid), plan);
    }
  }
}

}  // namespace

FakeJvm::FakeJvm(const Plan& plan) {
  int ready[2];
  if (pipe(ready) != 0) abort();
  pid_ = fork();
  if (pid_ == 0) Live(plan, ready[1]);
  close(ready[1]);
  char byte;
  if (read(ready[0], &byte, 1) != 1) abort();
  close(ready[0]);
}

FakeJvm::~FakeJvm() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void FakeJvm::Signal(int signal) const { kill(pid_, signal); }

void FakeJvm::AwaitEnd() const {
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
}

std::function<void(int, const std::string&)> Replying(const std::string& reply) {
  return [reply](int connection, const std::string&) {
    if (write(connection, reply.data(), reply.size()) < 0) _exit(1);
  };
}

}  // namespace jprof::test
