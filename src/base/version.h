// The version of jprof, which is the same for the agent and the program.
#pragma once

namespace jprof {

// Returns "0.1.0", the version in the project's CMakeLists.txt. Thread-safe.
const char* JprofVersion();

}  // namespace jprof
