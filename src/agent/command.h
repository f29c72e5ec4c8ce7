// Command execution: an option string in, an answer out. Common to all entry points.
//
// Thread-safe; outside handlers. Answers are text for the user: one line, or help and version.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "session/options/options.h"
#include "session/session.h"

namespace jprof {

// The session of this process; leaked on purpose.
Session& TheSession();

// Applies loglevel= and log=.
Status ApplyLogOptions(const Options& options);

// Help or version; with file= the text is written to that file, and the answer names the file.
// REQUIRES: the command is kHelp or kVersion.
Result<AgentAnswer> AnswerInfo(const Options& options);

// Any command, in the live phase. `is_awaited`: see Session::Start. REQUIRES: TheSession() is
// connected.
Result<AgentAnswer> Execute(const Options& options, const std::function<bool()>& is_awaited = {});

}  // namespace jprof
