// CheckRecording reads a recording in all ways: with a visitor, as slices, and by conversion to all
// formats of the agent.
#pragma once

#include <string>

namespace jprof::test {

// Returns a text about a promise that the readers break for the recording `bytes`. Returns "" if
// they keep all promises. These are:
//
//  - All formats agree with the reader on whether the recording can be read.
//  - The counts of collapsed stacks add up to the reported number of samples.
//  - Slices of adjacent windows, and slices by frames, add up to the whole.
std::string CheckRecording(const std::string& bytes);

}  // namespace jprof::test
