// ReadAgentAnswer: turns the content of an agent's answer file into the outcome of a command.
//
// An agent of another version that uses the same layout can add facts that are unknown here, or
// lack some; its answer is used all the same. If the versions do not fit, the failure names the
// older one of agent and jprof.
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
