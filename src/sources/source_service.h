// AskForSource and AnswerForSources are the two ends of a socket, over which a process that may not
// read sources asks a process that may.
//
// Neither end trusts the other: names are checked as SourceFinder checks them, and sizes are
// bounded.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sources/source_finder.h"

namespace jprof {

// Returns a source as FindSource does, by asking the process at the other end of the socket.
Result<SourceText> AskForSource(int socket, std::string_view class_name,
                                std::string_view file_name);

// Answers questions until the other end is closed or sends an invalid question.
void AnswerForSources(int socket, SourceFinder& sources);

}  // namespace jprof
