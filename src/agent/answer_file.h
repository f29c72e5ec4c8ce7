// The answer file (answer=PATH): passes the agent's answer to an attaching program, in the layout
// of answers/agent_answer.h.
//
// The file is always a new one, readable by the JVM's user only, and never reached through a
// symbolic link: the author of the path cannot make the JVM write to an existing file.
//
// Not for signal handlers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "answers/agent_answer.h"
#include "base/result.h"

namespace jprof {

// Writes the answer to a new file at `path`.
Status WriteAnswerFile(const std::string& path, const Result<AgentAnswer>& answer);

// Returns the value of answer= in an option string that ParseOptions has refused, so that the error
// can be delivered; nullopt if the string has no answer= before the first malformed word.
std::optional<std::string> FindAnswerFile(std::string_view options);

}  // namespace jprof
