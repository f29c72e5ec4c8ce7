// RecordLaunched: the command record with `-- COMMAND…`: starts the command, and every JVM that it
// starts records itself, from its begin to its end.
//
// Standard input and output are the command's alone; what jprof says goes to standard error.
// jprof's one thread.
#pragma once

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// Returns the exit code: that of the command if the recording is complete.
Outcome<int> RecordLaunched(const CommandLine& line);

}  // namespace jprof
