// AskForSource and AnswerForSources run at the two ends of a socket. Over this socket, a process
// without the right to read sources asks a process that has this right.
//
// Neither end trusts the other: names are checked as SourceFinder checks them, and sizes are
// bounded.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sources/source_finder.h"

namespace jprof {

// Finds a source as a FindSource function does, by asking the process at the other end of the
// socket.
Result<SourceText> AskForSource(int socket, std::string_view class_name,
                                std::string_view file_name);

// Answers questions until the other end is closed or sends an invalid question.
void AnswerForSources(int socket, SourceFinder& sources);

}  // namespace jprof
