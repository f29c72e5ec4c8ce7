// ExecuteLeased: a command about the recording that this jprof began, which its lease names.
// jprof's one thread.
#pragma once

#include <optional>
#include <string>

#include "attach/agent_call.h"
#include "attach/lease.h"

namespace jprof {

// Executes `options` with the lease. The agent refuses a stop if another recording runs by then.
Outcome<AgentAnswer> ExecuteLeased(const std::string& options, const std::optional<Lease>& lease,
                                   Nanos wait_ns, AgentCall& call);

}  // namespace jprof
