// Record: the command `record` for a running JVM. Record starts the recording, waits, stops the
// recording and delivers the result. Used on jprof's only thread.
#pragma once

#include <cstdint>
#include <string>

#include "attach/agent_call.h"
#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

struct RecordTimes {
  Nanos duration_ns;
  Nanos wait_ns;  // the longest wait for an answer of the agent
};

// Returns the values of --duration and --wait.
Outcome<RecordTimes> RecordTimesOf(const CommandLine& line);

struct Recorded {
  std::string text;  // the lines to print
  std::string json;  // the facts as a JSON object
  std::string path;  // path of the result; empty if the result went to a stream
};

// The fate of the recording if this process is killed.
enum class IfKilled : uint8_t { kKeep, kRemove };

// Records the JVM of `call`. `start`: the option string of the agent's command `start`, without an
// output file.
Outcome<Recorded> Record(const CommandLine& line, const std::string& start,
                         const RecordTimes& times, AgentCall& call,
                         IfKilled if_killed = IfKilled::kKeep);

}  // namespace jprof
