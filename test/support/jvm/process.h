// RunningProcess: a child with its standard streams on pipes. RunProcess: one that is waited for.
//
// Used by tests that start JVMs, on the test's thread; not thread-safe. Nothing is read from the
// child except inside WaitForLine and Wait, so a child that prints more than a pipe holds (64 KiB)
// between two such calls waits as well. Whatever happens, the destructor leaves no child behind.
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
  std::vector<std::string> argv;                         // argv[0] is the path of the program.
  std::vector<std::pair<std::string, std::string>> env;  // Added to the environment of the test.
  std::string stdin_text;                                // RunProcess only; then end of file.
  std::string working_directory;                         // Empty: that of the test.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);  // From start; then SIGKILL.
};

struct ProcessResult {
  int exit_code = -1;  // -1 if a signal ended the process.
  int signal = 0;      // The signal that ended the process, else 0.
  bool timed_out = false;
  std::string out;
  std::string err;
  rusage usage{};

  // User and system time of the process and the children it waited for.
  double CpuNanos() const;

  // Everything about the end of the process in one text, for failure messages.
  std::string Describe() const;
};

class RunningProcess {
 public:
  static Result<RunningProcess> Start(const ProcessSpec& spec);

  RunningProcess(RunningProcess&& other) noexcept;
  RunningProcess& operator=(RunningProcess&&) = delete;
  ~RunningProcess();

  pid_t pid() const { return pid_; }

  // Waits for the next unread line of standard output that starts with `prefix`, skipping others.
  // An Error if the output or the time ends first. Skipped lines stay in ProcessResult::out.
  Result<std::string> WaitForLine(const std::string& prefix);

  // Writes `line` and a newline to standard input.
  void WriteLine(const std::string& line);

  void SendSignal(int signal) const;

  // Closes standard input and collects output until the process ends.
  ProcessResult Wait();

 private:
  RunningProcess(pid_t pid, ScopedFd in, ScopedFd out, ScopedFd err,
                 std::chrono::steady_clock::time_point deadline);

  // One poll over both outputs; false once both have ended or the time is up.
  bool ReadSome();
  bool TakeLine(const std::string& prefix, std::string* line);

  pid_t pid_;  // 0 once reaped.
  ScopedFd in_;
  ScopedFd out_;
  ScopedFd err_;
  std::chrono::steady_clock::time_point deadline_;
  size_t out_consumed_ = 0;  // Prefix of result_.out that WaitForLine has passed.
  ProcessResult result_;
};

// Starts, feeds stdin_text, waits. A process that cannot be started has exit_code 127 and the
// reason in `err`.
ProcessResult RunProcess(const ProcessSpec& spec);

}  // namespace jprof::test
