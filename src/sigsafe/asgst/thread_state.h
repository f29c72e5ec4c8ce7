// ThreadStateNow: the state of the calling thread, in the bits of JVMTI.
//
// Async-signal-safe, during a walk session.
#pragma once

#include "sigsafe/asgst/api_state.h"

namespace jprof::asgst {

// Returns bits of JVMTI's GetThreadState, or an ApiResult < 0.
int32_t ThreadStateNow(const ApiState& state);

}  // namespace jprof::asgst
