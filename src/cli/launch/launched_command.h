// LaunchedCommand: a command that jprof has started and waits for, as if it were not in between:
// the command has jprof's standard streams, its process group and terminal, and gets the signals
// that are sent to jprof.
//
// One instance at a time; jprof's one thread.
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

// NoJvmRecorded: why no JVM of a launched command has recorded.

// `command`: the words of the command that was launched.
Failure NoJvmRecorded(const std::vector<std::string>& command);

class LaunchedCommand {
 public:
  // `variable` is set in the environment of the command. Fails with kNotFound or kNotRunnable.
  static Outcome<LaunchedCommand> Start(const std::vector<std::string>& command,
                                        const std::string& variable, const std::string& value);

  LaunchedCommand(LaunchedCommand&& other) noexcept;
  LaunchedCommand& operator=(LaunchedCommand&&) = delete;
  ~LaunchedCommand();  // signals have their effect on jprof again

  // Returns the status (waitpid) once the command has ended; nullopt at the deadline. What a
  // terminal sends to the process group reaches the command by itself; other signals are passed on.
  std::optional<int> Wait(const Deadline& deadline) const;

 private:
  LaunchedCommand(pid_t pid, const sigset_t& previous) : pid_(pid), previous_mask_(previous) {}

  pid_t pid_;  // 0: moved from
  sigset_t previous_mask_;
};

// "ended with signal 15 (Terminated)"; empty for a command that exited.
std::string SignalText(int status);

// The exit code of the command; 128 and the signal that ended it.
int ExitCodeOfStatus(int status);

}  // namespace jprof
