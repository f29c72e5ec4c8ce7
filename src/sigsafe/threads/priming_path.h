// PrimingPath: how the profiler came to know a thread. Generated from the table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jprof {

enum class PrimingPath : uint8_t {
#define PRIMING_PATH(id, name, what) id,
#include "sigsafe/threads/priming_path.def"
#undef PRIMING_PATH
};

inline constexpr const char* kPrimingPathNames[] = {
#define PRIMING_PATH(id, name, what) name,
#include "sigsafe/threads/priming_path.def"
#undef PRIMING_PATH
};

inline constexpr size_t kPrimingPathCount = sizeof kPrimingPathNames / sizeof kPrimingPathNames[0];

}  // namespace jprof
