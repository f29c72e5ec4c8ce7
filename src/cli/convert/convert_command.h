// The command convert, and the options that it shares with view and open. Used on jprof's only
// thread.
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

// Returns the slice that the options of a command choose. `event`: the event whose samples are in
// the slice; empty for the samples of all events.
Outcome<profile::Slice> SliceOf(const CommandLine& line, const std::string& event);

// Returns the places of --source, such as "a" and "b" for "a:b", without empty ones.
std::vector<std::string> SourcePlacesOf(const CommandLine& line);

// Returns the values of --event, --total, --lines and --editor. Fails with kUsage for values and
// for --reverse if the format does not accept them.
Outcome<ConvertOptions> ConvertOptionsOf(const CommandLine& line, const FormatRow& format);

}  // namespace jprof
