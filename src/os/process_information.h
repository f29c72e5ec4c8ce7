// Facts about this process from the kernel: start time and arguments.
//
// Thread-safe; not for signal handlers. Each parse function takes the text of a file in /proc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace jprof {

// Returns the time at which this process was created, in milliseconds since the epoch, by the
// current setting of the wall clock. The result is exact to the kernel's clock tick (10 ms).
Result<int64_t> ProcessStartEpochMs();

// Returns the arguments with which this process was executed, the program first.
Result<std::vector<std::string>> ProcessArguments();

// Returns the number in a field of /proc/<pid>/stat. Fields are counted from 1, as in
// proc_pid_stat(5). REQUIRES: field >= 3.
Result<int64_t> ParseStatField(std::string_view stat, int field);

// Returns field 22 of /proc/<pid>/stat: clock ticks from boot to the start of the process.
Result<int64_t> ParseStartTicks(std::string_view stat);

// Returns the arguments in /proc/<pid>/cmdline, which is a sequence of strings that each end with
// NUL.
std::vector<std::string> ParseCommandLine(std::string_view cmdline);

}  // namespace jprof
