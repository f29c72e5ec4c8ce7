// FindTarget and CallOf find the JVM that a TARGET argument denotes, and the agent in that JVM.
// JvmTable and JvmsAsJson show the running JVMs as a table and as JSON.
//
// Used on jprof's only thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "attach/agent_call.h"
#include "attach/failure.h"
#include "attach/jvm_list.h"
#include "cli/words/command_line.h"

namespace jprof {

// Returns the pid of a TARGET. A TARGET of digits is a pid, even if no process has this pid. Any
// other TARGET is the name of a JVM (MatchingJvms). Fails with kNoProcess unless exactly one JVM
// matches the name. The failure lists the matching JVMs, or all running JVMs if none matches.
Outcome<pid_t> FindTarget(const std::string& argument);

// Returns an AgentCall to the JVM `target`, which is the value of --container or --pod if the line
// has such an option, and else a TARGET. Uses the agent library that --library names, or the default
// library.
Outcome<AgentCall> CallOf(const CommandLine& line, const std::string& target);

// Returns the running JVMs with their containers.
std::vector<JvmDescription> ListJvmsAndContainers();

// Returns the table of `jprof list`.
std::string JvmTable(const std::vector<JvmDescription>& jvms);

// Returns the JVMs as a JSON object in the form that `jprof view --json` prints. The "obstacle" of
// a JVM says why jprof could not attach to it. Unknown values are null.
std::string JvmsAsJson(const std::vector<JvmDescription>& jvms);

}  // namespace jprof
