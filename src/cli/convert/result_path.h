// The path of the result of record, and the line that says what can be done with the file.
//
// jprof's one thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "cli/words/command_line.h"
#include "conversion/all_formats.h"

namespace jprof {

// The absolute path. Fails with kUsage for a folder.
Outcome<std::string> AbsoluteOutput(const std::string& path);

// The wanted path of the result of the JVM `pid`. Patterns are those of the agent, expanded by
// jprof. A file that the user named is replaced; a default name never replaces a file.
Outcome<std::string> WantedPath(const CommandLine& line, pid_t pid);

// "a.jfr" if the name is free, else "a-2.jfr" and so on.
std::string FreeName(const std::string& path);

// "/x/a.html (12 kB): open it in a browser\n". `format`: nullopt: the file is a recording.
std::string ResultLine(const std::string& path, const std::optional<OutputFormat>& format);

// The refusal of an output whose name ends in no extension of ours.
Failure NoKnownFormat(const std::string& path);

}  // namespace jprof
