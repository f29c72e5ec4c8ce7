// JAVA_TOOL_OPTIONS: the variable whose options every JVM adds to its own. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

#include "attach/failure.h"

namespace jprof {

// A longer value is ignored by JDK 8 (jdk8u src/share/vm/runtime/arguments.cpp,
// OPTION_BUFFER_SIZE).
inline constexpr size_t kLongestJdk8ToolOptions = 1023;

// `existing` and the option that loads `library` with these options of the agent. Fails with
// kLibrary for a path that no JVM can be told.
Outcome<std::string> ToolOptionsWithAgent(std::string_view existing, const std::string& library,
                                          const std::string& agent_options);

}  // namespace jprof
