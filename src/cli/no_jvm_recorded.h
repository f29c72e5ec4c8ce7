// NoJvmRecorded: why no JVM of a launched command has recorded. Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

#include "attach/failure.h"

namespace jprof {

// `command`: the words of the command that was launched.
Failure NoJvmRecorded(const std::vector<std::string>& command);

}  // namespace jprof
