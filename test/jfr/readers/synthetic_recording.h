// Writes recordings with every type of event, to test readers.
#pragma once

#include <string>

namespace jprof::test {

// Writes two chunks with every event type, Java, native, kernel and hidden frames, a stack without
// content, truncated stacks, virtual and renamed threads, supplementary characters and a 64 KB
// string. Returns the lines that test/java/jfr/ReadBack.java prints for it.
std::string WriteSyntheticRecording(const std::string& path);

// Writes one chunk with the information events and no samples. Returns the lines that ReadBack
// prints for it.
std::string WriteEmptyRecording(const std::string& path);

}  // namespace jprof::test
