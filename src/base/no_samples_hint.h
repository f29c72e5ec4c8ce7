// NoSamplesHint: why an event that was asked for may have no samples, and what to do: for the agent
// at the stop, and for whoever reads the recording.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

#include "sigsafe/base/types.h"

namespace jprof {

// `event`: "cpu", "wall", ...; `interval_ns`: 0 if it is not known; `filter`: the threads that were
// asked for, empty: all. One sentence or two, on one line.
std::string NoSamplesHint(std::string_view event, Nanos interval_ns, std::string_view filter);

}  // namespace jprof
