#include "cli/source_process.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "sources/source_finder.h"
#include "sources/source_service.h"

namespace jprof {

Outcome<SourceProcess> SourceProcess::Start(const std::vector<std::string>& places) {
  Result<SourceFinder> sources = SourceFinder::Of(places);
  if (!sources) {
    return Failure(FailureKind::kFile, "--source: " + sources.error().message());
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Failure(FailureKind::kFile, Error::FromErrno("socketpair", ""));
  }
  ScopedFd ours(ends[0]);
  ScopedFd theirs(ends[1]);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return Failure(FailureKind::kFile, Error::FromErrno("fork", ""));
  if (pid == 0) {
    ours.Reset();
    std::signal(SIGPIPE, SIG_IGN);  // who asks may have ended
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent) {
      AnswerForSources(theirs.get(), sources.value());
    }
    _exit(0);
  }
  return SourceProcess(std::move(ours), pid);
}

SourceProcess::SourceProcess(SourceProcess&& other) noexcept
    : socket_(std::move(other.socket_)), pid_(std::exchange(other.pid_, 0)) {}

SourceProcess::~SourceProcess() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
}

}  // namespace jprof
