// Record: the command record: start, wait, stop, deliver the result.
#pragma once

#include <cstdint>
#include <string>

#include "attach/agent_call.h"
#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

struct RecordTimes {
  Nanos duration_ns;
  Nanos wait_ns;  // per answer
};

Outcome<RecordTimes> RecordTimesOf(const CommandLine& line);

struct Recorded {
  std::string text;  // the lines to print
  std::string json;  // the same, as an object
  std::string path;  // of the result; empty: it went to a stream
};

// Whether the recording is kept or removed if this process is killed.
enum class IfKilled : uint8_t { kKeep, kRemove };

// `start`: the agent's option string, without a file.
Outcome<Recorded> Record(const CommandLine& line, const std::string& start,
                         const RecordTimes& times, AgentCall& call,
                         IfKilled if_killed = IfKilled::kKeep);

}  // namespace jprof
