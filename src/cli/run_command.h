// RunCommand: executes one command line. Called on jprof's only thread.
#pragma once

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// Executes the command and prints its result to standard output. Returns the exit code, or the
// failure, which the caller prints.
Outcome<int> RunCommand(const CommandLine& line);

}  // namespace jprof
