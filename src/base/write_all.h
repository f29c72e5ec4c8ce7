// WriteAll: writes a whole text to a descriptor, despite signals and short writes.
// Thread-safe.
#pragma once

#include <string_view>

#include "base/result.h"

namespace jprof {

// `name`: of the file, for the error.
Status WriteAll(int fd, std::string_view text, std::string_view name);

// Network file systems report a full disk or quota only when a descriptor is closed: closes another
// descriptor of `fd`, to know.
Status CheckWritten(int fd, std::string_view name);

}  // namespace jprof
