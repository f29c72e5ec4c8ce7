// CheckRecording reads a recording in all ways: with a visitor, as slices, and by conversion to all
// formats of the agent.
#pragma once

#include <string>

namespace jprof::test {

// Returns a text about the promise that the readers break for the recording `bytes`, or "". The
// promises are that all formats agree on whether the recording can be read, and that the counts of
// collapsed stacks add up to the reported number of samples.
std::string CheckRecording(const std::string& bytes);

}  // namespace jprof::test
