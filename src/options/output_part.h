// ReadOutputPart: the words that say what of the recording a converted file has. Thread-safe: no
// state.
#pragma once

#include <string_view>

#include "base/result.h"
#include "options/options.h"
#include "options/parsed_arguments.h"

namespace jprof {

// What is wrong with a value of total that is no total, after its quotation.
inline constexpr std::string_view kNotATotal = " is neither samples nor value";

// The error is one line.
Status ReadOutputPart(const ParsedArguments& words, OutputPart* part);

// Fails if one of the states, joined by + or a comma, is the begin of no state that recordings of
// ours have: nothing would be left of them. The error is the rest of a line that begins with the
// word.
Status CheckStates(std::string_view states);

}  // namespace jprof
