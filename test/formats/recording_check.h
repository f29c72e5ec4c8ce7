// CheckRecording reads a recording with all readers: the visitors and the converters to all
// formats.
#pragma once

#include <string>

namespace jprof::test {

// Returns the promise that `bytes` break, or "". The promises: all formats agree on whether the
// recording can be read, and the counts of collapsed stacks add up to the reported samples.
std::string CheckRecording(const std::string& bytes);

}  // namespace jprof::test
