// Record: the command record: start, wait, stop, and the result where the user wants it.
#pragma once

#include "attach/agent_call.h"
#include "attach/failure.h"
#include "cli/command_line.h"

namespace jprof {

struct RecordTimes {
  Nanos duration_ns;
  Nanos wait_ns;  // for each answer
};

Outcome<RecordTimes> RecordTimesOf(const CommandLine& line);

// The lines to print at the end.
Outcome<std::string> Record(const CommandLine& line, const RecordTimes& times, AgentCall& call);

}  // namespace jprof
