// Trace: the command trace, which shows a live table of the calls to traced methods.
//
// Used on jprof's only thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "answers/method_calls.h"
#include "cli/words/command_line.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Prints the table every second until the end. Returns the text to print then, if the JVM has
// exited; otherwise an empty text. Leaves nothing in the JVM or its file system.
Outcome<std::string> Trace(const CommandLine& line);

// Returns the table. The methods with the most time come first, then those with the most calls. The
// calls per second are those of the `elapsed_ns` since `before`. `width`: the terminal's, to which
// lines are cut; 0: lines are not cut.
std::string MethodTableText(const std::vector<MethodCalls>& now,
                            const std::vector<MethodCalls>& before, Nanos elapsed_ns, size_t width);

// Returns the methods as a JSON object, with times in nanoseconds: null for an unknown time.
std::string MethodsAsJson(const std::vector<MethodCalls>& now,
                          const std::vector<MethodCalls>& before, Nanos elapsed_ns);

}  // namespace jprof
