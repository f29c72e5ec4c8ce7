// WholeRecording turns a recording into a file that can be read at any position. Used by one
// thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "profile/read_slices.h"

namespace jprof {

// Returns `input` if it is a plain file. If it is compressed or comes from a pipe, returns a file
// in memory with its content, of at most `most_bytes`. If the end of a compressed recording is
// truncated or damaged, sets `missing` to a line about it. The error is one line with a remedy.
Result<profile::RecordingInput> WholeRecording(profile::RecordingInput input, uint64_t most_bytes,
                                               std::string& missing);

}  // namespace jprof
