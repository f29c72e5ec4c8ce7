// Trace: the command `trace`, which shows a live table of the calls to traced methods.
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

// Prints the table every second until the duration has passed, the user interrupts, or the JVM
// exits. If the JVM has exited, returns a last text to print; otherwise returns an empty text.
// Leaves nothing in the JVM or its file system.
Outcome<std::string> Trace(const CommandLine& line);

// Returns the table of the calls in `now`. Methods are sorted by total time, then by calls, the
// most first. `before`: the calls `elapsed_ns` earlier, from which the calls per second are
// computed. `width`: the number of columns at which lines are cut; 0 if lines are not cut.
std::string MethodTableText(const std::vector<MethodCalls>& now,
                            const std::vector<MethodCalls>& before, Nanos elapsed_ns, size_t width);

// Returns the data of MethodTableText as a JSON object. Times are in nanoseconds, or null if
// unknown.
std::string MethodsAsJson(const std::vector<MethodCalls>& now,
                          const std::vector<MethodCalls>& before, Nanos elapsed_ns);

}  // namespace jprof
