// The command `validate`: records comparisons of stacks in a JVM, or in the JVMs of a command, and
// prints the table of the results (views/validation_view.cc).
#pragma once

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// Returns the exit code: 0 if the share of wrong stacks is at most that of --fail-above, with a
// confidence of 97.5 %; kTooManyWrong or kTooFewCompared otherwise.
Outcome<int> Validate(const CommandLine& line);

}  // namespace jprof
