// NoSamplesHint: why a requested event may have no samples, and the remedy. Shown by the agent at
// stop and by the readers of recordings.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sigsafe/base/types.h"

namespace jprof {

// `event`: "cpu", "wall", ...; `interval_ns`: 0 if unknown; `filter`: the selected threads, empty:
// all; `windows`: how many there were, nullopt: the recording had no begin or end. One or two
// sentences on one line.
std::string NoSamplesHint(std::string_view event, Nanos interval_ns, std::string_view filter,
                          std::optional<uint64_t> windows);

// The same of a recording of which no chunk was finished.
std::string NoChunkHint(std::string_view event);

}  // namespace jprof
