// Trace: the command trace: a live table of the calls of methods.
//
// jprof's one thread.
#pragma once

#include <string>

#include "cli/words/command_line.h"

namespace jprof {

// Prints the table every second, and answers with the sums at the end. Nothing of it is left in the
// JVM then, nor in its file system.
Outcome<std::string> Trace(const CommandLine& line);

}  // namespace jprof
