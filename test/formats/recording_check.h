// CheckRecording reads a recording with all readers: the visitors and the converters to all
// formats.
#pragma once

#include <string>

namespace jprof::test {

// Returns a text about the promise that the readers break for the recording `bytes`, or "". The
// promises are that all formats agree on whether the recording can be read, and that the counts of
// collapsed stacks add up to the reported number of samples.
std::string CheckRecording(const std::string& bytes);

}  // namespace jprof::test
