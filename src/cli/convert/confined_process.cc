#include "cli/convert/confined_process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "base/printable_text.h"
#include "base/scaled_text.h"
#include "base/scoped_fd.h"
#include "conversion/gzip.h"
#include "os/read_file.h"

namespace jprof {
namespace {

constexpr int kAnswer = 4;  // the child's descriptor for its answer, the write end of a pipe
constexpr int kPollMillis = 200;
// The kernel's overflow id, which belongs to no account (Linux v6.1 include/linux/highuid.h). It
// serves as uid and as gid.
constexpr id_t kNobody = 65534;

// Exit codes of the child. A child that exits with kDone has written its answer to the pipe. A
// child that exits with kFailed has written an error if it could. A child that exits with
// kOutOfMemory has written nothing.
enum ExitStatus : int { kDone = 0, kFailed = 3, kOutOfMemory = 4 };

// Writes the failed call and its errno to the pipe as the child's answer, and exits with kFailed.
[[noreturn]] void Fail(const char* call) {
  const int error = errno;
  char line[256];
  const int length = std::snprintf(line, sizeof line, "%s: %s", call, strerror(error));
  static_cast<void>(WriteAll(kAnswer, {line, static_cast<size_t>(std::max(length, 0))}, "pipe"));
  _exit(kFailed);
}

void CloseFrom(int first) {
  if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
  // Linux before 5.9 has no close_range.
  const int end = static_cast<int>(std::clamp<long>(sysconf(_SC_OPEN_MAX), 1024, 65536));
  for (int fd = first; fd < end; ++fd) close(fd);
}

void ArrangeDescriptors(const std::vector<int>& inputs, int output, int answer) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  // An element's index is the number of its descriptor in the child.
  std::vector<int> wanted = {null, null, null, output, answer};
  static_assert(kConfinedOutput == 3 && kAnswer == 4 && kConfinedInput == 5);
  wanted.insert(wanted.end(), inputs.begin(), inputs.end());
  const auto first_free = static_cast<int>(wanted.size());
  for (int& fd : wanted) {
    fd = fcntl(fd, F_DUPFD_CLOEXEC, first_free);  // a copy whose number the child does not use
    if (fd < 0) Fail("fcntl(F_DUPFD_CLOEXEC)");
  }
  for (int target = 0; target < first_free; ++target) {
    if (dup2(wanted[static_cast<size_t>(target)], target) < 0) _exit(kFailed);
  }
  CloseFrom(first_free);
}

// Lowers the soft limit to `most` and the hard limit to `spare` above the soft limit. With a spare,
// the child gets the signal of the soft limit (SIGXCPU) before the kernel kills it at the hard
// limit.
void Limit(__rlimit_resource resource, uint64_t most, uint64_t spare = 0) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0) Fail("getrlimit");
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, most);
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, limit.rlim_cur + spare);
  if (setrlimit(resource, &limit) != 0) Fail("setrlimit");
}

uint64_t OwnMemoryBytes() {
  const Result<std::string> pages = ReadFile("/proc/self/statm");
  const uint64_t count = pages ? std::strtoull(pages.value().c_str(), nullptr, 10) : 0;
  return count * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void SetLimits(const Confinement& confinement) {
  Limit(RLIMIT_AS, OwnMemoryBytes() + confinement.memory_bytes);
  Limit(RLIMIT_CPU, confinement.cpu_seconds, 5);
  Limit(RLIMIT_FSIZE, confinement.output_bytes);
  Limit(RLIMIT_CORE, 0);
  for (const int signal : {SIGXFSZ, SIGPIPE}) {
    std::signal(signal, SIG_IGN);  // a write then fails with EFBIG or EPIPE instead
  }
  // Makes the kernel end this process before others if the machine runs out of memory.
  const ScopedFd score(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (score.valid()) static_cast<void>(WriteAll(score.get(), "1000", "oom_score_adj"));
  std::set_new_handler([] { _exit(kOutOfMemory); });
}

void DropRights(const Confinement& confinement, pid_t parent) {
  if (geteuid() == 0) {
    const bool of_root = confinement.uid == 0;
    const uid_t uid = of_root ? kNobody : confinement.uid;
    const gid_t gid = of_root ? kNobody : confinement.gid;
    if (setgroups(0, nullptr) != 0) Fail("setgroups");
    if (setresgid(gid, gid, gid) != 0) Fail("setresgid");
    if (setresuid(uid, uid, uid) != 0) Fail("setresuid");
    if (setresuid(0, 0, 0) == 0) _exit(kFailed);  // then root's rights could be regained
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) Fail("prctl(PR_SET_NO_NEW_PRIVS)");
  Limit(RLIMIT_NPROC, 0);
  // The change of user resets the death signal, so the signal is set only now.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) Fail("prctl(PR_SET_PDEATHSIG)");
  if (getppid() != parent) _exit(kFailed);
}

[[noreturn]] void RunChild(const Confinement& confinement, int answer, pid_t parent,
                           const std::function<std::string()>& work) {
  ArrangeDescriptors(confinement.inputs, confinement.output, answer);
  setsid();  // gives up the controlling terminal, into which the child could otherwise type
  SetLimits(confinement);
  DropRights(confinement, parent);
  const bool written = WriteAll(kAnswer, work(), "pipe").ok();
  _exit(written ? kDone : kFailed);
}

// Reads the whole answer. Kills a child that writes more than kMaxAnswer bytes.
std::string ReadAnswer(int fd, pid_t child, const std::function<bool()>& while_working) {
  std::string answer;
  char buffer[4096];
  for (;;) {
    pollfd ready{fd, POLLIN, 0};
    if (poll(&ready, 1, kPollMillis) == 0) {
      if (!while_working()) kill(child, SIGKILL);
      continue;
    }
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return answer;
    answer.append(buffer, static_cast<size_t>(got));
    if (answer.size() > kMaxAnswer) {
      kill(child, SIGKILL);
      answer.resize(kMaxAnswer);
      return answer;
    }
  }
}

// Returns the lower of the confinement's memory limit and jprof's own limit (ulimit -v), which the
// child inherits.
uint64_t MemoryLimit(const Confinement& confinement) {
  rlimit limit = {};
  const bool is_known = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_known ? std::min<uint64_t>(limit.rlim_cur, confinement.memory_bytes)
                  : confinement.memory_bytes;
}

// Returns the error of a child that failed. `answer`: the text that the child wrote before it
// ended.
Error ExitError(int status, const Confinement& confinement, const std::string& answer) {
  const bool exited = WIFEXITED(status);
  const int code = exited ? WEXITSTATUS(status) : 0;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (code == kOutOfMemory) {
    return Error("it takes more than " + MegabytesText(MemoryLimit(confinement)) + " of memory" +
                 confinement.advice());
  }
  if (signal == SIGXCPU) {
    return Error("it takes more than " + std::to_string(confinement.cpu_seconds) + " s of CPU" +
                 confinement.advice());
  }
  if (signal == SIGKILL && answer.empty()) {
    return Error("its process was killed: the machine may be out of memory");
  }
  if (code == kFailed && !answer.empty()) {
    return Error("cannot act as uid and gid " + std::to_string(confinement.uid) + ":" +
                 std::to_string(confinement.gid) + ", the owner (" + answer +
                 "): run jprof as that user");
  }
  return Error("its process crashed (" +
               (exited ? "status " + std::to_string(code) : "signal " + std::to_string(signal)) +
               "): the file is damaged in a way that jprof cannot tell");
}

constexpr std::string_view kCompressed = "+";
constexpr int kPipeBytes = 1 << 20;  // large, so that writer and reader seldom wait for each other

// Compresses the data from the descriptor `from` to the descriptor kConfinedOutput. Returns
// kCompressed or an error. Runs in the confined process.
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

Result<std::string> RunConfined(const Confinement& confinement,
                                const std::function<std::string()>& work) {
  if (confinement.inputs.size() > kMaxConfinedInputs) {
    return Error("more than " + std::to_string(kMaxConfinedInputs) + " files at once");
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error::FromErrno("pipe2", "");
  const ScopedFd from_child(ends[0]);
  ScopedFd to_parent(ends[1]);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return Error::FromErrno("fork", "");
  if (child == 0) RunChild(confinement, to_parent.get(), parent, work);
  to_parent.Reset();
  std::string answer = ReadAnswer(from_child.get(), child, confinement.while_working);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return Error::FromErrno("waitpid", std::to_string(child));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kDone) return answer;
  return ExitError(status, confinement, answer);
}

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
  fcntl(to.get(), F_SETPIPE_SZ, kPipeBytes);  // if the kernel refuses, the pipe is smaller
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
  // The function in `rights` is meant for another child.
  confinement.while_working = Confinement().while_working;
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
  // The process writes its answer before it exits, and keeps its read end of the pipe of input()
  // open until it exits. So if a write to input() has failed with EPIPE, the pipe of answer_
  // already contains the answer.
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
