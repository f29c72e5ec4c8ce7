// OpenRegularFile: opens a file that others may have named or put in its place. Thread-safe: no
// state.
#pragma once

#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

enum class LastLink { kFollow, kRefuse };

// For reading. Opening a device may have side effects, and opening a FIFO may wait for ever: of the
// entry nothing is opened before it is known to be a regular file.
Result<ScopedFd> OpenRegularFile(const std::string& path, LastLink link);

}  // namespace jprof
