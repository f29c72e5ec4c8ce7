// FindTarget, CallOf: the JVM that a TARGET argument denotes, and the agent in it.
//
// jprof's one thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "attach/agent_call.h"
#include "attach/failure.h"
#include "attach/jvm_list.h"
#include "cli/words/command_line.h"

namespace jprof {

// Digits are a pid, unchecked; anything else names a JVM (MatchingJvms). Fails with kNoProcess and
// the list of running or matching JVMs unless exactly one matches.
Outcome<pid_t> FindTarget(const std::string& argument);

// The agent of that JVM, with the library that the command names, or else the default one.
Outcome<AgentCall> CallOf(const CommandLine& line, const std::string& target);

// The table of `jprof list`.
std::string JvmTable(const std::vector<JvmDescription>& jvms);

// Returns the same as an object of JSON, shaped as a view, with what would keep jprof from attaching
// to each JVM: what is not known is null.
std::string JvmsAsJson(const std::vector<JvmDescription>& jvms);

}  // namespace jprof
