// The answer file: where a program that attaches gets the agent's answer from (answer=PATH), in the
// layout of base/agent_answer.h.
//
// The file is new, readable by nobody but the JVM's user, and no symbolic link: whoever names the
// path cannot make the JVM write to anything that is there already. Outside handlers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/agent_answer.h"
#include "base/result.h"

namespace jprof {

Status WriteAnswerFile(const std::string& path, const CodedAnswer& answer);

// The value of answer= in an option string that may be wrong otherwise, so that its error can be
// answered too.
std::optional<std::string> FindAnswerFile(std::string_view options);

}  // namespace jprof
