// Open: the command `open`, which serves a recording on the loopback interface until Ctrl-C, or
// until no request has come for a while.
//
// A confined process reads the recording before the server starts. The server reads only the
// finished page or profile, and sources. Used on jprof's only thread.
#pragma once

#include <string>

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// Prints the address, and serves the recording until the server ends.
Outcome<void> Open(const CommandLine& line);

// Serves the result of a command `record`: a recording or a page. Does the same as `open FILE`
// without options.
Outcome<void> OpenResult(const std::string& path);

// Fails with kUsage if OpenResult cannot show a file with the extension of `path`.
Outcome<void> CheckCanOpen(const std::string& path);

}  // namespace jprof
