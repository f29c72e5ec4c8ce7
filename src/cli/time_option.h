// TimeOption: the value of a time option of jprof. Thread-safe: no state.
#pragma once

#include "attach/failure.h"
#include "cli/command_line.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Returns the time, which is given in the agent's notation: positive, less than a year. Fails with
// kUsage for other texts.
Outcome<Nanos> TimeOption(const CommandLine& line, CliOption option);

}  // namespace jprof
