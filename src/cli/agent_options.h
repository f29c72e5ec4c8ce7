// AgentStartOptions: the agent's option string for the options of jprof start and jprof record.
//
// Thread-safe: no state.
#pragma once

#include <string>

#include "attach/failure.h"
#include "cli/command_line.h"

namespace jprof {

// `file`: the agent's output file; empty: its default. Fails with kUsage for options that the agent
// would refuse.
Outcome<std::string> AgentStartOptions(const CommandLine& line, const std::string& file);

// The value of a time option of jprof, in the agent's notation; positive, less than a year.
Outcome<Nanos> TimeOption(const CommandLine& line, CliOption option);

}  // namespace jprof
