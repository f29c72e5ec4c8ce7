// NoSamplesHint: explains why a requested event might have no samples, and names the remedy. The
// agent shows the hint at stop; the readers of recordings show it too.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sigsafe/base/types.h"

namespace jprof {

// Returns one or two sentences on one line. `event`: "cpu", "wall", ...; `interval_ns`: 0 if
// unknown; `filter`: the selected threads, empty for all; `windows`: the number of windows, nullopt
// if the recording had no --begin or --end.
std::string NoSamplesHint(std::string_view event, Nanos interval_ns, std::string_view filter,
                          std::optional<uint64_t> windows);

// Returns the hint for a recording without a finished chunk.
std::string NoChunkHint(std::string_view event);

}  // namespace jprof
