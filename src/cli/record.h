// Record: the command record for a running JVM: starts the recording, waits, stops it and delivers
// the result. Called on jprof's only thread.
#pragma once

#include <cstdint>
#include <string>

#include "attach/agent_call.h"
#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

struct RecordTimes {
  Nanos duration_ns;
  Nanos wait_ns;  // the longest wait for an answer
};

// Returns the values of --duration and --wait.
Outcome<RecordTimes> RecordTimesOf(const CommandLine& line);

struct Recorded {
  std::string text;  // the lines to print
  std::string json;  // the facts as a JSON object
  std::string path;  // path of the result; empty: the result went to a stream
};

// The fate of the recording if this process is killed.
enum class IfKilled : uint8_t { kKeep, kRemove };

// Records the JVM of `call`. `start`: the agent's option string, without a file.
Outcome<Recorded> Record(const CommandLine& line, const std::string& start,
                         const RecordTimes& times, AgentCall& call,
                         IfKilled if_killed = IfKilled::kKeep);

}  // namespace jprof
