// The answer file (answer=PATH): passes the agent's answer to an attaching program, in the layout
// of answers/agent_answer.h.
//
// The file is new, readable by the JVM's user only, and no symbolic link: the author of the path
// cannot make the JVM write to an existing file. Outside handlers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "answers/agent_answer.h"
#include "base/result.h"

namespace jprof {

Status WriteAnswerFile(const std::string& path, const Result<AgentAnswer>& answer);

// The value of answer= in an option string that ParseOptions has refused, so that its error can be
// delivered; nullopt: the string has no answer= before the first word that is no option.
std::optional<std::string> FindAnswerFile(std::string_view options);

}  // namespace jprof
