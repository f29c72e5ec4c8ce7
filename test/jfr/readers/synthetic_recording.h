// A recording with one of everything, for readers to be tried on.
#pragma once

#include <string>

namespace jprof::test {

// Two chunks with every event type, Java, native, kernel and hidden frames, a stack without
// content, truncated stacks, virtual and renamed threads, supplementary characters and a 64 KB
// string. The lines that test/java/jfr/ReadBack.java prints for it are returned.
std::string WriteSyntheticRecording(const std::string& path);

// One chunk with the information events and no samples; returns as above.
std::string WriteEmptyRecording(const std::string& path);

}  // namespace jprof::test
