// ReadFile reads a small file into a string. It also reads files in /proc and /sys, whose sizes the
// kernel does not report.
//
// Thread-safe; not for signal handlers.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace jprof {

inline constexpr size_t kMaxSmallFile = 16 << 20;

// Returns the content of the file. Fails if it cannot be read or is longer than `max_bytes`.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes = kMaxSmallFile);

}  // namespace jprof
