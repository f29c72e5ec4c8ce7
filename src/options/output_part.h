// ReadOutputPart: reads the words that select the part of the recording in a converted file.
//
// Thread-safe: no state.
#pragma once

#include <string_view>

#include "base/result.h"
#include "options/options.h"
#include "options/parsed_arguments.h"

namespace jprof {

// The fault of an unknown value of total, as a phrase that follows the quoted value.
inline constexpr std::string_view kNotATotal = " is neither samples nor value";

// Reads the words into `part`. The error is one line.
Status ReadOutputPart(const ParsedArguments& words, OutputPart* part);

// Checks the names of states in a list that is joined by + or a comma. Fails unless every name is
// that of a state in our recordings, or its start, because any other name would select no sample.
// The error is a phrase that follows the quoted option.
Status CheckStates(std::string_view states);

}  // namespace jprof
