// RunningProcess: a child process with its standard streams on pipes. RunProcess: runs a child to
// its end.
//
// Used by tests that start JVMs, on the test's thread; not thread-safe. WaitForLine and Wait read
// the child's output, and nothing else does, so that a child that prints more than a pipe holds (64
// KiB) between two such calls has to wait. The destructor kills the child if it still runs.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof::test {

struct ProcessSpec {
  std::vector<std::string> argv;                         // argv[0] is the path of the program
  std::vector<std::pair<std::string, std::string>> env;  // added to the environment of the test
  std::string stdin_text;         // RunProcess writes it, then closes the input
  std::string working_directory;  // if empty, the test's own
  std::chrono::milliseconds timeout = std::chrono::minutes(5);  // time from start to SIGKILL
};

struct ProcessResult {
  int exit_code = -1;  // -1 if a signal ended the process
  int signal = 0;      // signal that ended the process, or 0
  bool timed_out = false;
  std::string out;
  std::string err;
  rusage usage{};

  // Returns the user and system time of the process and of the children that it waited for.
  double CpuNanos() const;

  // Returns a text with all results, for failure messages.
  std::string Describe() const;
};

class RunningProcess {
 public:
  static Result<RunningProcess> Start(const ProcessSpec& spec);

  RunningProcess(RunningProcess&& other) noexcept;
  RunningProcess& operator=(RunningProcess&&) = delete;
  ~RunningProcess();

  pid_t pid() const { return pid_; }

  // Waits for the next unread line of standard output that starts with `prefix`, and skips the
  // lines before it. Returns an Error if the output or the time ends first. Skipped lines stay in
  // ProcessResult::out.
  Result<std::string> WaitForLine(const std::string& prefix);

  // Writes `line` and a newline to standard input.
  void WriteLine(const std::string& line);

  void SendSignal(int signal) const;

  // Closes standard input and collects output until the process ends.
  ProcessResult Wait();

 private:
  RunningProcess(pid_t pid, ScopedFd in, ScopedFd out, ScopedFd err,
                 std::chrono::steady_clock::time_point deadline);

  // Polls both outputs once. Returns false if both have ended or the time is up.
  bool ReadSome();
  bool TakeLine(const std::string& prefix, std::string* line);

  pid_t pid_;  // 0 once reaped
  ScopedFd in_;
  ScopedFd out_;
  ScopedFd err_;
  std::chrono::steady_clock::time_point deadline_;
  size_t out_consumed_ = 0;  // bytes of result_.out that WaitForLine has passed
  ProcessResult result_;
};

// Starts the process, writes stdin_text and waits for the end. If the process cannot be started,
// exit_code is 127 and `err` has the reason.
ProcessResult RunProcess(const ProcessSpec& spec);

}  // namespace jprof::test
