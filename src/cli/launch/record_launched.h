// RecordLaunched: the command record with `-- COMMAND...`: starts the command, and every JVM that
// it starts records itself from its start to its end.
//
// Standard input and output belong to the command; jprof's messages go to standard error, and its
// JSON (--json) to standard output after the command has ended. Called on jprof's only thread.
#pragma once

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// Returns the exit code of the command if its recordings were delivered or it failed itself.
Outcome<int> RecordLaunched(const CommandLine& line);

}  // namespace jprof
