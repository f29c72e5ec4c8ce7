// jprof convert: recordings, or a part of them, to another format. jprof's one thread.
#pragma once

#include <string>

#include "attach/failure.h"
#include "cli/command_line.h"
#include "formats/convert_report.h"
#include "profile/slices/slice.h"

namespace jprof {

// Prints notes; the result is the line to print.
Outcome<std::string> RunConvert(const CommandLine& line);

// The slice that the options of a command choose. `event`: empty if the command takes --event for
// something else than a choice.
Outcome<profile::Slice> SliceOf(const CommandLine& line, const std::string& event);

// What --event, --total and --lines say.
Outcome<ConvertOptions> ConvertOptionsOf(const CommandLine& line);

}  // namespace jprof
