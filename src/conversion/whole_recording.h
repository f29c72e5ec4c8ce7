// WholeRecording turns a recording into a file that can be read at any position. Used by one
// thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "profile/read_slices.h"

namespace jprof {

// Returns `input` if it is a plain file. If `input` is compressed or comes from a pipe, returns a
// file in memory with the unpacked content of `input`. Fails if the content has more than
// `most_bytes` bytes. If the end of a compressed recording is truncated or damaged, sets `missing`
// to one line about the damage. The error is one line with a remedy.
Result<profile::RecordingInput> WholeRecording(profile::RecordingInput input, uint64_t most_bytes,
                                               std::string& missing);

}  // namespace jprof
