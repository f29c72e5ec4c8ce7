// RunCommand: executes one command line.
//
// Prints results to standard output; errors are the returned Failure, else the exit code is
// returned.
#pragma once

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

Outcome<int> RunCommand(const CommandLine& line);

}  // namespace jprof
