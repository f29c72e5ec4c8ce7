#include "support/jvm/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

namespace jprof::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  ScopedFd read;
  ScopedFd write;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> fds{};
  if (pipe2(fds.data(), O_CLOEXEC) != 0) return Error::FromErrno("pipe2", "O_CLOEXEC");
  return Pipe{ScopedFd(fds[0]), ScopedFd(fds[1])};
}

// Environment variables that give options to every JVM. They are removed because a JVM that finds
// one prints a line.
constexpr const char* kJavaOptions[] = {
    "JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS=", "_JAVA_OPTIONS="};

std::vector<std::string> MergedEnvironment(const ProcessSpec& spec) {
  std::vector<std::string> merged;
  for (const auto& [name, value] : spec.env) {
    merged.push_back(name);
    merged.back().append("=").append(value);
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    bool replaced = std::ranges::any_of(
        kJavaOptions, [&](const char* variable) { return text.starts_with(variable); });
    for (const auto& added : spec.env) replaced |= text.rfind(added.first + "=", 0) == 0;
    if (!replaced) merged.push_back(text);
  }
  return merged;
}

std::vector<char*> Pointers(std::vector<std::string>* strings) {
  std::vector<char*> pointers;
  for (std::string& text : *strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Moves the content of the pipe to `text`. Closes the descriptor if the end of the pipe is reached.
void ReadPipe(ScopedFd* fd, std::string* text) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(fd->get(), buffer.data(), buffer.size());
  if (count > 0) {
    text->append(buffer.data(), static_cast<size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    fd->Reset();
  }
}

// Ignores SIGPIPE, so that a write to a child that has ended fails and does not end the test.
void IgnoreSigpipe() { [[maybe_unused]] static const auto previous = signal(SIGPIPE, SIG_IGN); }

void WriteAll(const ScopedFd& fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    text.remove_prefix(static_cast<size_t>(count));
  }
}

std::string AttachSocket(pid_t pid) { return "/tmp/.java_pid" + std::to_string(pid); }

// Removes the process's attach socket if it was made before `time`. An earlier JVM with the same
// pid made it, which was killed and might have belonged to another user; a newer socket belongs to
// the new process. `time` is of CLOCK_REALTIME_COARSE, the clock of file times.
void RemoveAttachSocketBefore(pid_t pid, const timespec& time) {
  const std::string path = AttachSocket(pid);
  struct stat socket {};
  if (lstat(path.c_str(), &socket) != 0) return;
  const timespec& made = socket.st_ctim;
  const bool is_older =
      made.tv_sec < time.tv_sec || (made.tv_sec == time.tv_sec && made.tv_nsec < time.tv_nsec);
  if (is_older) unlink(path.c_str());
}

// Removes the attach socket of a killed JVM. A later JVM with the same pid could not replace it if
// it ran as another user. Waits for the end of the process but does not reap it, so that no new
// process can have its pid yet.
void RemoveAttachSocket(pid_t pid) {
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
  unlink(AttachSocket(pid).c_str());
}

}  // namespace

double ProcessResult::CpuNanos() const {
  return 1e9 * static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e3 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

std::string ProcessResult::Describe() const {
  std::string text = "exit " + std::to_string(exit_code) + " signal " + std::to_string(signal);
  if (timed_out) text += " (timed out)";
  return text + "\n--- stdout\n" + out + "\n--- stderr\n" + err + "\n---";
}

Result<RunningProcess> RunningProcess::Start(const ProcessSpec& spec) {
  IgnoreSigpipe();
  auto in = MakePipe();
  auto out = MakePipe();
  auto err = MakePipe();
  if (!in || !out || !err) return Error("no pipes for " + spec.argv.front());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.value().read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.value().write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.value().write.get(), STDERR_FILENO);
  if (!spec.working_directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, spec.working_directory.c_str());
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> arguments = spec.argv;
  std::vector<std::string> environment = MergedEnvironment(spec);
  timespec before{};
  clock_gettime(CLOCK_REALTIME_COARSE, &before);
  pid_t pid = 0;
  const int failure = posix_spawn(&pid, spec.argv.front().c_str(), &actions, &attributes,
                                  Pointers(&arguments).data(), Pointers(&environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    errno = failure;
    return Error::FromErrno("posix_spawn", spec.argv.front());
  }
  RemoveAttachSocketBefore(pid, before);
  return RunningProcess(pid, std::move(in.value().write), std::move(out.value().read),
                        std::move(err.value().read), Clock::now() + spec.timeout);
}

RunningProcess::RunningProcess(pid_t pid, ScopedFd in, ScopedFd out, ScopedFd err,
                               Clock::time_point deadline)
    : pid_(pid),
      in_(std::move(in)),
      out_(std::move(out)),
      err_(std::move(err)),
      deadline_(deadline) {}

RunningProcess::RunningProcess(RunningProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      in_(std::move(other.in_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      deadline_(other.deadline_),
      out_consumed_(other.out_consumed_),
      result_(std::move(other.result_)) {}

RunningProcess::~RunningProcess() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  RemoveAttachSocket(pid_);
  waitpid(pid_, nullptr, 0);
}

bool RunningProcess::ReadSome() {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
  if (left <= 0) {
    result_.timed_out = true;
    return false;
  }
  if (!out_.valid() && !err_.valid()) return false;
  std::array<pollfd, 2> fds{
      {{out_.valid() ? out_.get() : -1, POLLIN, 0}, {err_.valid() ? err_.get() : -1, POLLIN, 0}}};
  if (poll(fds.data(), fds.size(), static_cast<int>(left)) > 0) {
    if (fds[0].revents != 0) ReadPipe(&out_, &result_.out);
    if (fds[1].revents != 0) ReadPipe(&err_, &result_.err);
  }
  return true;
}

bool RunningProcess::TakeLine(const std::string& prefix, std::string* line) {
  size_t end = 0;
  while ((end = result_.out.find('\n', out_consumed_)) != std::string::npos) {
    *line = result_.out.substr(out_consumed_, end - out_consumed_);
    out_consumed_ = end + 1;
    if (line->rfind(prefix, 0) == 0) return true;
  }
  return false;
}

Result<std::string> RunningProcess::WaitForLine(const std::string& prefix) {
  std::string line;
  while (!TakeLine(prefix, &line)) {
    if (!out_.valid() || !ReadSome()) {
      return Error("no line '" + prefix + "' came: " + result_.Describe());
    }
  }
  return line;
}

void RunningProcess::WriteLine(const std::string& line) { WriteAll(in_, line + "\n"); }

void RunningProcess::SendSignal(int signal) const { kill(pid_, signal); }

ProcessResult RunningProcess::Wait() {
  in_.Reset();
  while (ReadSome()) {
  }
  if (result_.timed_out) kill(pid_, SIGKILL);
  RemoveAttachSocket(pid_);
  int status = 0;
  wait4(pid_, &status, 0, &result_.usage);
  pid_ = 0;
  if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
  return std::move(result_);
}

ProcessResult RunProcess(const ProcessSpec& spec) {
  auto process = RunningProcess::Start(spec);
  if (!process) {
    ProcessResult result;
    result.exit_code = 127;
    result.err = process.error().message();
    return result;
  }
  if (!spec.stdin_text.empty()) process.value().WriteLine(spec.stdin_text);
  return process.value().Wait();
}

}  // namespace jprof::test
