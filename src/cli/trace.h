// Trace: the command trace: a live table of the calls of methods.
//
// Called on jprof's only thread.
#pragma once

#include <string>

#include "cli/words/command_line.h"

namespace jprof {

// Prints the table every second until the end. Returns the text to print then, if the JVM has
// exited; otherwise an empty text. Leaves nothing in the JVM or its file system.
Outcome<std::string> Trace(const CommandLine& line);

}  // namespace jprof
