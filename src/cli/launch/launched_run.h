// LaunchedRun: one run of a launched command whose JVMs record to a LaunchFolder.
//
// Used on jprof's only thread; at most one instance exists at a time.
#pragma once

#include <optional>
#include <string>

#include "attach/failure.h"
#include "cli/launch/launch_folder.h"
#include "cli/launch/launched_command.h"
#include "cli/words/command_line.h"
#include "conversion/all_formats.h"
#include "sigsafe/base/types.h"

namespace jprof {

// The format of all results, and the path of one result as an example. The example is the path for
// a JVM that has the pid of this process.
struct WantedResult {
  std::string path;
  std::optional<OutputFormat> format;  // nullopt if the results are the recordings themselves
};

// Returns the wanted result. Called before the command is started, so that errors in the command
// line are found first.
Outcome<WantedResult> CheckedResult(const CommandLine& line);

struct LaunchPlan {
  std::string start;              // options of the agent's command `start`, without a file
  std::optional<Nanos> duration;  // nullopt: until the command ends
};

// Returns the plan of a command line. Fails with kUsage if the command cannot be recorded.
Outcome<LaunchPlan> LaunchPlanOf(const CommandLine& line);

class LaunchedRun {
 public:
  // Starts the command. REQUIRES: `folder` outlives the run, and is of no other run.
  static Outcome<LaunchedRun> Start(const CommandLine& line, const LaunchPlan& plan,
                                    LaunchFolder& folder);

  // Waits until the command has ended or the duration has passed, and ends the recordings. Fails
  // with kNotAJvm if there are none. Called once.
  Outcome<void> AwaitRecordings();

  // Returns the time at which the duration ends (CLOCK_MONOTONIC); nullopt if there is no duration,
  // or if the command ended before a JVM recorded. Called after AwaitRecordings.
  std::optional<Nanos> deadline_ns() const { return deadline_ns_; }

  // Waits for the end of the command, prints the signal that ended it, and returns its exit code,
  // or 128 plus the number of the signal.
  int AwaitEnd();

 private:
  LaunchedRun(const CommandLine& line, std::optional<Nanos> duration, LaunchFolder& folder,
              LaunchedCommand command)
      : line_(line), duration_(duration), folder_(folder), command_(std::move(command)) {}

  const CommandLine& line_;
  const std::optional<Nanos> duration_;
  LaunchFolder& folder_;
  LaunchedCommand command_;
  std::optional<Nanos> deadline_ns_;
  std::optional<int> status_;  // the command's status (waitpid), once it has ended
};

}  // namespace jprof
