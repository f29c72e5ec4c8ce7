// The choice of the methods that get probes for a validation, beyond the user's patterns.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

#include "engines/method/traced_methods.h"
#include "options/method_pattern.h"

namespace jprof {

// Returns the texts of the patterns, joined by +.
std::string TextOf(const std::vector<MethodPattern>& patterns);

// True if the method can have probes whose calls match its frames on the stack, and is among the
// share of the methods that are chosen by their names.
bool IsProbed(const TracedMethod& method, double share);

}  // namespace jprof
