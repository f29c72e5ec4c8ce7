// The agent's option strings for commands of jprof that start a recording.
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

// The options of an agent, in any order, with the texts of their values.
using AgentOptions = std::vector<std::pair<OptionId, ParsedArguments::Value>>;

// The option string of the command start with these options. Fails with kUsage for options that the
// agent would refuse.
Outcome<std::string> StartString(const AgentOptions& options);

// The option string for jprof start and jprof record. `file`: the agent's output file; empty: its
// default, or that of WithFile. Fails with kUsage for options that the agent would refuse, and for
// --gc without live objects.
Outcome<std::string> AgentStartOptions(const CommandLine& line, const std::string& file);

// The option string `start`, of which the agent writes to this file.
std::string WithFile(const std::string& start, const std::string& file);

// The command about the recording that this jprof began, which its lease names: the agent refuses a
// stop if another recording runs by then.
std::string WithLease(const std::string& command, const std::optional<Lease>& lease);

// "stop,gc" with --gc, else `command`.
std::string WithGc(const CommandLine& line, const std::string& command);

}  // namespace jprof
