// Open: the command open: serves a recording on the loopback interface until Ctrl-C, or until it is
// unused for a while.
//
// The recording is read before, in a confined process; the server has the finished page or profile,
// and the places of sources. jprof's one thread.
#pragma once

#include <string>

#include "attach/failure.h"
#include "cli/words/command_line.h"

namespace jprof {

// Prints the address.
Outcome<void> Open(const CommandLine& line);

// The same for a result of record, a recording or a page: as `open FILE` with no options.
Outcome<void> OpenResult(const std::string& path);

// Fails with kUsage where OpenResult could not show the file.
Outcome<void> CheckCanOpen(const std::string& path);

}  // namespace jprof
