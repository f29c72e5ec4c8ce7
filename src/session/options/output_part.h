// ReadOutputPart: the words that say what of the recording a converted file has. Thread-safe: no
// state.
#pragma once

#include "base/result.h"
#include "session/options/options.h"
#include "session/options/parsed_arguments.h"

namespace jprof {

// The error is one line.
Status ReadOutputPart(const ParsedArguments& words, OutputPart* part);

}  // namespace jprof
