// ReadAgentAnswer: reads the answer file of an agent as the outcome of a command.
//
// An agent of another version answers in the same layout, with facts that are not known here, or
// lacks some: its answer is used. Where the versions do not fit, the failure says which of the two is
// older.
//
// Thread-safe: no state.
#pragma once

#include <sys/types.h>

#include <string>

#include "answers/agent_answer.h"
#include "attach/failure.h"

namespace jprof {

// Returns the answer of the agent in the process; the failure of the agent; kLibrary where the bytes
// cannot be used as an answer.
Outcome<AgentAnswer> ReadAgentAnswer(const std::string& bytes, pid_t pid);

}  // namespace jprof
