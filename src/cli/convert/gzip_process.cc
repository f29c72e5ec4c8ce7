#include "cli/convert/gzip_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "base/printable_text.h"
#include "base/scoped_fd.h"
#include "conversion/gzip.h"

namespace jprof {
namespace {

constexpr std::string_view kCompressed = "+";
constexpr int kPipeBytes = 1 << 20;  // large, so that the two processes seldom wait for each other

// Compresses `from` to kConfinedOutput. Returns kCompressed or an error. Runs in the confined
// process.
std::string Compress(int from, const std::string& name) {
  GzipStream out(kConfinedOutput, name);
  const auto buffer = std::make_unique_for_overwrite<char[]>(kPipeBytes);
  for (;;) {
    const ssize_t got = read(from, buffer.get(), kPipeBytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::FromErrno("read", "a pipe").message();
    if (got == 0) break;
    out.Text({buffer.get(), static_cast<size_t>(got)});
    if (!out.status()) return out.status().error().message();
  }
  Status written = out.Finish();
  if (written) written = CheckWritten(kConfinedOutput, name);
  return written ? std::string(kCompressed) : written.error().message();
}

}  // namespace

Outcome<GzipProcess> GzipProcess::Start(const Confinement& rights, int output,
                                        const std::string& name) {
  int data[2];
  int answer[2];
  if (pipe2(data, O_CLOEXEC) != 0) {
    return Failure(FailureKind::kFile, Error::FromErrno("pipe2", ""));
  }
  ScopedFd from(data[0]), to(data[1]);
  if (pipe2(answer, O_CLOEXEC) != 0) {
    return Failure(FailureKind::kFile, Error::FromErrno("pipe2", ""));
  }
  ScopedFd ours(answer[0]), theirs(answer[1]);
  fcntl(to.get(), F_SETPIPE_SZ, kPipeBytes);  // if it is refused, the pipe is smaller
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return Failure(FailureKind::kFile, Error::FromErrno("fork", ""));
  if (pid != 0) return GzipProcess(std::move(to), std::move(ours), pid);
  to.Reset();
  ours.Reset();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(1);
  Confinement confinement = rights;
  confinement.inputs = {from.get()};
  confinement.output = output;
  confinement.while_working = Confinement().while_working;  // that of `rights` is for its own task
  const Result<std::string> done =
      RunConfined(confinement, [&name] { return Compress(kConfinedInput, name); });
  const std::string text = done ? done.value() : "compressing: " + done.error().message();
  _exit(WriteAll(theirs.get(), text, "pipe") ? 0 : 1);
}

GzipProcess::GzipProcess(GzipProcess&& other) noexcept
    : input_(std::move(other.input_)),
      answer_(std::move(other.answer_)),
      pid_(std::exchange(other.pid_, 0)) {}

GzipProcess::~GzipProcess() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
}

Status GzipProcess::Finish() {
  input_.Reset();
  return ReadAnswer();
}

Status GzipProcess::FailureStatus() {
  // The process closes its ends of both pipes at once: a writer that could not write finds the
  // answer.
  pollfd answer{answer_.get(), POLLIN, 0};
  return poll(&answer, 1, 0) == 1 ? ReadAnswer() : Status();
}

Status GzipProcess::ReadAnswer() {
  std::string text;
  char buffer[4096];
  while (text.size() < kMaxAnswer) {
    const ssize_t got = read(answer_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  if (text == kCompressed) return {};
  if (text.empty()) text = "compressing: its process ended early";
  return Error(PrintableText(text, Layout::kEscape));
}

}  // namespace jprof
