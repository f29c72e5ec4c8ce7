// RecordLaunched: the command `record -- COMMAND...`, which starts COMMAND and makes every JVM that
// COMMAND starts record itself from its start to its end.
//
// Standard input and output belong to the command; jprof's messages go to standard error, and its
// JSON (--json) to standard output after the command has ended. Used on jprof's only thread.
#pragma once

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// Returns the exit code of COMMAND. If COMMAND succeeds and its recordings cannot be delivered,
// fails instead.
Outcome<int> RecordLaunched(const CommandLine& line);

}  // namespace jprof
