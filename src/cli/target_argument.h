// FindTarget, CallOf: the JVM that a TARGET argument denotes, and the agent in it. JvmTable,
// JvmsAsJson: the running JVMs as a table and as JSON.
//
// Called on jprof's only thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "attach/agent_call.h"
#include "attach/failure.h"
#include "attach/jvm_list.h"
#include "cli/words/command_line.h"

namespace jprof {

// Returns the pid of a TARGET. Digits are a pid, which is not checked; anything else names a JVM
// (MatchingJvms). Fails with kNoProcess and a list of the running or matching JVMs unless exactly
// one matches.
Outcome<pid_t> FindTarget(const std::string& argument);

// Returns the agent in the JVM `target`, with the library that --library names, or the default one.
Outcome<AgentCall> CallOf(const CommandLine& line, const std::string& target);

// Returns the table of `jprof list`.
std::string JvmTable(const std::vector<JvmDescription>& jvms);

// Returns the JVMs as a JSON object in the form of a view, with the obstacle that would keep jprof
// from attaching to each JVM. Unknown values are null.
std::string JvmsAsJson(const std::vector<JvmDescription>& jvms);

}  // namespace jprof
