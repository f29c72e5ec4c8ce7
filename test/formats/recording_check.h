// CheckRecording: has everything that reads recordings read one: the visitors, and all formats.
#pragma once

#include <string>

namespace jprof::test {

// Empty, or the promise that was broken: formats agree on whether it can be read, and the counts of
// collapsed stacks add up to the samples that were reported.
std::string CheckRecording(const std::string& bytes);

}  // namespace jprof::test
