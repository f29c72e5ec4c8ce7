// WholeRecording: a recording as a file that can be read anywhere. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "profile/read_slices.h"

namespace jprof {

// Returns `input`, or its content in memory if it is compressed or comes from a pipe: at most
// `most_bytes`. `missing` gets a line if the end of it is not whole. The error is one line with a
// remedy.
Result<profile::RecordingInput> WholeRecording(profile::RecordingInput input, uint64_t most_bytes,
                                               std::string& missing);

}  // namespace jprof
