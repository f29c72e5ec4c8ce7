// AgentStartOptions: the option string of the agent for what was given to start or record.
//
// Thread-safe: no state.
#pragma once

#include <string>

#include "attach/failure.h"
#include "cli/command_line.h"

namespace jprof {

// `file`: where the agent is to record to; empty: its own default. kUsage for what the agent would
// refuse.
Outcome<std::string> AgentStartOptions(const CommandLine& line, const std::string& file);

// The time that an option of ours gives, in the agent's notation; more than none, less than a year.
Outcome<Nanos> TimeOption(const CommandLine& line, CliOption option);

}  // namespace jprof
