// Sources for a process that may not read them: it asks over a socket, and a process that may
// answers.
//
// Neither end trusts the other: names are checked as SourceFinder checks them, sizes are bounded.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sources/source_finder.h"

namespace jprof {

// Answers as a FindSource: asks the process at the other end.
Result<SourceText> AskForSource(int socket, std::string_view class_name,
                                std::string_view file_name);

// Answers until the other end is closed.
void AnswerForSources(int socket, SourceFinder& sources);

}  // namespace jprof
