// ReadOutputPart: reads the words that select the part of the recording in a converted file.
//
// Thread-safe: no state.
#pragma once

#include <string_view>

#include "base/result.h"
#include "options/options.h"
#include "options/parsed_arguments.h"

namespace jprof {

// The fault of an unknown value of total, to follow the quoted value.
inline constexpr std::string_view kNotATotal = " is neither samples nor value";

// Reads the words into `part`. The error is one line.
Status ReadOutputPart(const ParsedArguments& words, OutputPart* part);

// Checks states that are joined by + or a comma. Fails if one of them is not the start of the name
// of any state in our recordings: it would select no sample. The error is the rest of a line that
// starts with the word.
Status CheckStates(std::string_view states);

}  // namespace jprof
