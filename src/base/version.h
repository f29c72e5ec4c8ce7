// The version of jprof, which agent and program have in common.
#pragma once

namespace jprof {

// "0.1.0", from the project's CMakeLists.txt. Thread-safe.
const char* JprofVersion();

}  // namespace jprof
