// The path of the result of record, and the line that tells the user how to look at the result.
//
// Used on jprof's only thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "cli/words/command_line.h"
#include "conversion/all_formats.h"

namespace jprof {

// Returns the absolute path of an output. Fails with kUsage for a folder.
Outcome<std::string> AbsoluteOutput(const std::string& path);

// Returns the path of --output, with its patterns expanded for the JVM `pid`, or the default path.
// --output may name an existing file; the default path is always free.
Outcome<std::string> WantedPath(const CommandLine& line, pid_t pid);

// Returns "a.jfr" if no file has the name, otherwise "a-2.jfr" and so on.
std::string FreeName(const std::string& path);

// Returns "/x/a.html (12 kB): open it in a browser\n". `format`: nullopt if the file is a
// recording.
std::string ResultLine(const std::string& path, const std::optional<OutputFormat>& format);

// Returns the failure for an output whose extension belongs to no format of jprof.
Failure NoKnownFormat(const std::string& path);

}  // namespace jprof
