// RunCommand: executes one command line.
//
// Prints results to standard output; errors are the returned Failure.
#pragma once

#include "attach/failure.h"
#include "cli/command_line.h"

namespace jprof {

Outcome<void> RunCommand(const CommandLine& line);

}  // namespace jprof
