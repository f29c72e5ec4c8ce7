// RecordRuns: runs a launched command for `jprof validate`, and again where AsyncGetCallTrace has
// killed a JVM of the command. The recordings of all its JVMs are results.
//
// Used on jprof's only thread.
#pragma once

#include <string>
#include <vector>

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// The most JVMs that AsyncGetCallTrace may kill: after this number, the command is not run again.
inline constexpr int kMostAgctDeaths = 10;

struct ValidatedRuns {
  std::vector<std::string> recordings;  // paths; the first one is the requested one
  int command_code = 0;                 // exit code of the last run, as LaunchedRun::AwaitEnd
};

// Records the JVMs of the command. The recording of the first one is written to the path
// `recording`; those of others have their pids in their names. The command is run again until
// --duration has passed or a run ends without such a death. A JVM that was killed counts as a wrong
// stack in its recording.
Outcome<ValidatedRuns> RecordRuns(const CommandLine& line, const std::string& recording);

}  // namespace jprof
