// WholeRecording: makes a recording a file that can be read at any position. Used by one thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "profile/read_slices.h"

namespace jprof {

// Returns `input`, or its content in memory (at most `most_bytes`) if it is compressed or comes
// from a pipe. Sets `missing` to a line if the end of a compressed recording is truncated or
// damaged. The error is one line with a remedy.
Result<profile::RecordingInput> WholeRecording(profile::RecordingInput input, uint64_t most_bytes,
                                               std::string& missing);

}  // namespace jprof
