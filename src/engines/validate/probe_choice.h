// The choice of the methods that get probes for a validation, beyond the user's patterns.
//
// Thread-safe: no state.
#pragma once

#include "engines/method/traced_methods.h"

namespace jprof {

// True if the method can have probes whose calls match its frames on the stack, and is among the
// share of the methods that are chosen by their names.
bool IsProbed(const TracedMethod& method, double share);

}  // namespace jprof
