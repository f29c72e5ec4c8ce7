// ReadFile: the content of a small file as a string. For /proc, /sys and configuration files, whose
// size the kernel does not report.
//
// Thread-safe; not for handlers.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace jprof {

inline constexpr size_t kMaxSmallFile = 16 << 20;

// An error if the file cannot be read or is longer than `max_bytes`.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes = kMaxSmallFile);

}  // namespace jprof
