// ReadAgentAnswer: turns the content of an agent's answer file into the outcome of a command.
//
// An answer of an agent of another version is used if its layout is the one that jprof knows, even
// if facts are missing or unknown. If the two versions do not work together, the failure says
// whether the agent or jprof is older.
//
// Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <string>

#include "answers/agent_answer.h"
#include "attach/failure.h"

namespace jprof {

// Returns the answer of the agent in the process `pid`. Fails with the agent's failure, or with
// kLibrary if the bytes cannot be used as an answer.
Outcome<AgentAnswer> ReadAgentAnswer(const std::string& bytes, pid_t pid);

}  // namespace jprof
