#include "cli/launch/launched_command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/scoped_fd.h"
#include "options/error_text.h"

namespace jprof {
namespace {

// A JVM option that makes the JVM write an archive of classes. If a JVM gets such an option and an
// agent, it exits instead of loading the agent (create_vm_init_agents in
// src/hotspot/share/runtime/thread.cpp, jdk-17+35), so it records nothing. A JVM with
// AOTMode=record does load agents, so this option is not listed.
struct ArchiveFlag {
  std::string_view text;
  bool runs_program;  // true if, without an agent, the JVM would also run its program
};
constexpr ArchiveFlag kArchiveFlags[] = {{"-XX:ArchiveClassesAtExit", true},
                                         {"-XX:+RecordDynamicDumpInfo", true},
                                         {"-XX:+AutoCreateSharedArchive", true},
                                         {"-Xshare:dump", false}};

// The environment variables that contain options of JVMs.
constexpr const char* kVariables[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"};

const ArchiveFlag* FindArchiveFlag(std::vector<std::string> texts) {
  for (const char* variable : kVariables) {
    if (const char* const value = std::getenv(variable)) texts.emplace_back(value);
  }
  const auto* const found = std::ranges::find_if(kArchiveFlags, [&](const ArchiveFlag& flag) {
    return std::ranges::any_of(
        texts, [&](std::string_view text) { return text.find(flag.text) != text.npos; });
  });
  return found == std::end(kArchiveFlags) ? nullptr : found;
}

constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

sigset_t AwaitedSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kPassedOn) sigaddset(&signals, signal);
  sigaddset(&signals, SIGCHLD);
  return signals;
}

// True if jprof received the signal and the command did not. There are three such cases: a process
// sent the signal to jprof alone; the kernel sent it to the process group (Ctrl-C), which the
// command has left, for example by setsid; or the terminal was closed, and the kernel sent SIGHUP
// only to the leader of the session, which is jprof (Linux v6.1 drivers/tty/tty_jobctrl.c,
// tty_signal_session_leader).
bool IsMissedBy(pid_t command, const siginfo_t& info) {
  const bool is_from_process = info.si_code <= 0;
  const bool is_for_leader = info.si_signo == SIGHUP && getsid(0) == getpid();
  return is_from_process || is_for_leader || getpgid(command) != getpgrp();
}

// Executes the command in the child, and does not return. A successful execvp closes `report`. If
// execvp fails, writes its error number to `report`.
[[noreturn]] void Execute(const std::vector<std::string>& command, int report) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int error = errno;
  const ssize_t written = write(report, &error, sizeof error);
  _exit(written == sizeof error ? 127 : 126);
}

Failure NotStarted(const std::string& program, int error) {
  const bool is_missing = error == ENOENT;
  return {is_missing ? FailureKind::kNotFound : FailureKind::kNotRunnable,
          "cannot run " + Quote(program) + ": " +
              (is_missing && program.find('/') == std::string::npos ? "no such command in PATH"
                                                                    : strerror(error))};
}

}  // namespace

Failure NoJvmRecorded(const std::vector<std::string>& command) {
  const std::string none = Quote(command.front()) + " started no JVM that recorded: ";
  const ArchiveFlag* const flag = FindArchiveFlag(command);
  if (flag == nullptr) {
    return {FailureKind::kNotAJvm,
            none +
                "does it clear the environment, as sudo does? A JVM that refuses to "
                "start says why itself"};
  }
  return {FailureKind::kNotAJvm,
          none + "a JVM that writes an archive of classes (" + std::string(flag->text) + ") " +
              (flag->runs_program ? "ends where an agent is there at its launch; run the command "
                                    "without jprof, and record its JVM by its pid"
                                  : "runs no program")};
}

Outcome<LaunchedCommand> LaunchedCommand::Start(const std::vector<std::string>& command,
                                                const std::string& variable,
                                                const std::string& value) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Failure(FailureKind::kNotRunnable, Error::FromErrno("pipe2", ""));
  }
  const ScopedFd from_child(ends[0]);
  ScopedFd to_parent(ends[1]);
  // If SIGCHLD were ignored, waitpid would not return the command's status.
  std::signal(SIGCHLD, SIG_DFL);
  const sigset_t awaited = AwaitedSignals();
  sigset_t previous;
  sigprocmask(SIG_BLOCK, &awaited, &previous);
  const pid_t pid = fork();
  if (pid == 0) {
    sigprocmask(SIG_SETMASK, &previous, nullptr);
    setenv(variable.c_str(), value.c_str(), 1);
    Execute(command, to_parent.get());
  }
  if (pid < 0) {
    const Error error = Error::FromErrno("fork", "");
    sigprocmask(SIG_SETMASK, &previous, nullptr);
    return Failure(FailureKind::kNotRunnable, error);
  }
  LaunchedCommand launched(pid, previous);
  to_parent.Reset();
  int error = 0;
  ssize_t got = 0;
  while ((got = read(from_child.get(), &error, sizeof error)) < 0 && errno == EINTR) continue;
  if (got == 0) return launched;
  waitpid(pid, nullptr, 0);
  return NotStarted(command.front(), error);
}

LaunchedCommand::LaunchedCommand(LaunchedCommand&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), previous_mask_(other.previous_mask_) {}

LaunchedCommand::~LaunchedCommand() {
  if (pid_ != 0) sigprocmask(SIG_SETMASK, &previous_mask_, nullptr);
}

std::optional<int> LaunchedCommand::Wait(const Deadline& deadline) const {
  const sigset_t awaited = AwaitedSignals();
  for (;;) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) return status;
    if (deadline.HasPassed()) return std::nullopt;
    const int millis = deadline.MillisLeft();
    const timespec timeout{millis / 1000, long{millis % 1000} * 1'000'000};
    siginfo_t info;
    const int signal = sigtimedwait(&awaited, &info, &timeout);
    if (signal > 0 && signal != SIGCHLD && IsMissedBy(pid_, info)) kill(pid_, signal);
  }
}

std::string SignalText(int status) {
  if (!WIFSIGNALED(status)) return {};
  const int signal = WTERMSIG(status);
  return "ended with signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

int ExitCodeOfStatus(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace jprof
