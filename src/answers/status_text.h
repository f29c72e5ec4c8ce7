// StatusText: the answer to the command status.
//
// Thread-safe: no state.
#pragma once

#include <ctime>
#include <string>

#include "answers/agent_answer.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Returns a line per key, with aligned values. Without a recording there are only the state, the
// note and the version of the agent.
std::string StatusText(const AgentAnswer& answer);

// Returns "2026-02-03 04:05:06 (12.3 s ago)", in local time.
std::string SinceText(time_t start, Nanos ago_ns);

}  // namespace jprof
