// jprof convert: recordings, or a part of them, to another format. jprof's one thread.
#pragma once

#include <string>
#include <vector>

#include "attach/failure.h"
#include "cli/words/command_line.h"
#include "formats/convert.h"
#include "profile/slice.h"

namespace jprof {

// Prints notes; the result is the line to print.
Outcome<std::string> RunConvert(const CommandLine& line);

// The slice that the options of a command choose. `event`: empty if the command takes --event for
// something else than a choice.
Outcome<profile::Slice> SliceOf(const CommandLine& line, const std::string& event);

// The places of --source: "a:b" as its parts, without empty ones.
std::vector<std::string> SourcePlacesOf(const CommandLine& line);

// The values of --event, --total, --lines, --source and --editor, checked for the format.
Outcome<ConvertOptions> ConvertOptionsOf(const CommandLine& line, const FormatRow& format);

}  // namespace jprof
