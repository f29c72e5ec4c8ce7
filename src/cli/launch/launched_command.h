// LaunchedCommand: a command that jprof has started and waits for. The command runs as if the user
// had started it directly: it has jprof's standard streams, process group and terminal, and gets
// the signals that are sent to jprof. NoJvmRecorded: the failure for a command that left no
// recording.
//
// At most one instance exists at a time. Used on jprof's only thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "attach/deadline.h"
#include "attach/failure.h"

namespace jprof {

// Returns the failure kNotAJvm with a likely reason why no JVM of the launched command has
// recorded. `command`: the words of the command.
Failure NoJvmRecorded(const std::vector<std::string>& command);

class LaunchedCommand {
 public:
  // Starts `command` with `variable` set to `value` in its environment. Fails with kNotFound or
  // kNotRunnable.
  static Outcome<LaunchedCommand> Start(const std::vector<std::string>& command,
                                        const std::string& variable, const std::string& value);

  LaunchedCommand(LaunchedCommand&& other) noexcept;
  LaunchedCommand& operator=(LaunchedCommand&&) = delete;
  ~LaunchedCommand();  // restores the signal mask, so that signals affect jprof again

  // Waits for the end of the command and returns its status (waitpid). Returns nullopt if the
  // deadline passes first. A signal that jprof receives during the wait is also sent to the
  // command, unless the command has received it already, as it has with Ctrl-C on the terminal.
  std::optional<int> Wait(const Deadline& deadline) const;

 private:
  LaunchedCommand(pid_t pid, const sigset_t& previous) : pid_(pid), previous_mask_(previous) {}

  pid_t pid_;  // 0 if moved from
  sigset_t previous_mask_;
};

// Returns "ended with signal 15 (Terminated)" for the status of a command that a signal ended;
// empty if the command exited.
std::string SignalText(int status);

// Returns the exit code of the command, or 128 plus the number of the signal that ended it.
int ExitCodeOfStatus(int status);

}  // namespace jprof
