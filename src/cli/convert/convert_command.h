// The command `convert`, and the options that the commands `convert`, `view` and `open` share. Used
// on jprof's only thread.
#pragma once

#include <string>
#include <vector>

#include "attach/failure.h"
#include "cli/words/command_line.h"
#include "formats/convert.h"
#include "profile/slice.h"

namespace jprof {

// Converts recordings, or a part of them, to another format. Prints notes to stderr. Returns the
// result line, which the caller prints.
Outcome<std::string> RunConvert(const CommandLine& line);

// Returns the slice (profile/slice.h) that the options of a command choose. `event`: the event
// whose samples are in the slice; empty for the samples of all events.
Outcome<profile::Slice> SliceOf(const CommandLine& line, const std::string& event);

// Returns the folders and archives that --source names, without empty names: "a" and "b" for "a:b".
std::vector<std::string> SourcePlacesOf(const CommandLine& line);

// Returns the values of --event, --total, --lines and --editor. Fails with kUsage if a value is
// invalid, or if --reverse is given and the format does not support it.
Outcome<ConvertOptions> ConvertOptionsOf(const CommandLine& line, const FormatRow& format);

}  // namespace jprof
