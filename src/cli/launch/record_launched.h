// RecordLaunched: the command `record -- COMMAND...`. It starts COMMAND, and makes every JVM that
// COMMAND starts record itself. Such a recording begins when the JVM starts. It ends when the JVM
// exits, when COMMAND ends, or when --duration has passed.
//
// Standard input and output belong to the command; jprof's messages go to standard error, and its
// JSON (--json) to standard output after the command has ended. Used on jprof's only thread.
#pragma once

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// Returns the exit code of COMMAND. Fails instead if COMMAND cannot be started, or if COMMAND
// succeeds and its recordings cannot be delivered.
Outcome<int> RecordLaunched(const CommandLine& line);

}  // namespace jprof
