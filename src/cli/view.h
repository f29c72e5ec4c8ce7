// View: the command `view`, which prints a table of a recording file, of a JVM's running recording,
// or of a new recording of a JVM.
//
// Used on jprof's only thread.
#pragma once

#include <string>

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// Returns the text to print.
Outcome<std::string> View(const CommandLine& line);

}  // namespace jprof
