// WriteAll: a whole text to a descriptor, whatever signals and short counts come between.
// Thread-safe.
#pragma once

#include <string_view>

#include "base/result.h"

namespace jprof {

// `name`: of what is written to, for the error.
Status WriteAll(int fd, std::string_view text, std::string_view name);

}  // namespace jprof
