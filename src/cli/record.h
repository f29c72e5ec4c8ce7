// Record: the command record: start, wait, stop, deliver the result.
#pragma once

#include "attach/agent_call.h"
#include "attach/failure.h"
#include "cli/command_line.h"

namespace jprof {

struct RecordTimes {
  Nanos duration_ns;
  Nanos wait_ns;  // per answer
};

Outcome<RecordTimes> RecordTimesOf(const CommandLine& line);

struct Recorded {
  std::string text;  // the lines to print
  std::string path;  // of the result; empty: it went to a stream
};

Outcome<Recorded> Record(const CommandLine& line, const RecordTimes& times, AgentCall& call);

}  // namespace jprof
