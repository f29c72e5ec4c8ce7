// The path of the result of the command `record`, and the line that tells the user how to look at
// the result.
//
// Used on jprof's only thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "cli/words/command_line.h"
#include "conversion/all_formats.h"

namespace jprof {

// Returns `path`, the path of an output, as an absolute path. Fails with kUsage if `path` names a
// folder.
Outcome<std::string> AbsoluteOutput(const std::string& path);

// Returns the absolute path that --output names, with its patterns expanded for the JVM `pid`.
// Without --output, returns a default path. --output can name an existing file; the default path is
// always free.
Outcome<std::string> WantedPath(const CommandLine& line, pid_t pid);

// Returns a path at which no file exists. For "a.jfr" this is the first free path of "a.jfr",
// "a-2.jfr", "a-3.jfr" and so on.
std::string FreeName(const std::string& path);

// Returns "/x/a.html (12 kB): open it in a browser\n". `format`: nullopt if the file is a
// recording.
std::string ResultLine(const std::string& path, const std::optional<OutputFormat>& format);

// Returns the failure for an output whose extension belongs to no format of jprof.
Failure NoKnownFormat(const std::string& path);

}  // namespace jprof
