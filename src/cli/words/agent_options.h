// The option strings that jprof sends to the agent to start and to stop a recording.
//
// Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attach/failure.h"
#include "attach/lease.h"
#include "cli/words/command_line.h"
#include "options/option_table.h"
#include "options/parsed_arguments.h"

namespace jprof {

// Options of the agent, in any order, with the texts of their values.
using AgentOptions = std::vector<std::pair<OptionId, ParsedArguments::Value>>;

// Returns the option string of the agent's command `start` with `options`. Fails with kUsage for
// options that the agent would refuse.
Outcome<std::string> StartString(const AgentOptions& options);

// Returns the option string of the agent's command `start` for jprof's commands `start` and
// `record`. `file`: the agent's output file; empty for the default, or if WithFile adds the file
// later. Fails with kUsage for options that the agent would refuse, and for --gc without --live.
Outcome<std::string> AgentStartOptions(const CommandLine& line, const std::string& file);

// Returns the option string `start` with `file` as the agent's output file.
std::string WithFile(const std::string& start, const std::string& file);

// Returns `command` with `lease` (attach/lease.h) as an option; `command` itself if there is no
// lease. In the command `start`, the lease ties the recording to this jprof. In the command `stop`,
// the lease makes the agent refuse if a recording with another lease is running.
std::string WithLease(const std::string& command, const std::optional<Lease>& lease);

// Returns `command` followed by ",gc" if --gc is given; otherwise returns `command`.
std::string WithGc(const CommandLine& line, const std::string& command);

}  // namespace jprof
