// CredibleTime and CredibleDuration limit the times in unchecked files, so that sums and
// differences of a few times do not overflow. Thread-safe: no state.
#pragma once

#include <algorithm>
#include <cstdint>

namespace jprof {

// Limits a time since 1970 to the years 1970 to 2116.
constexpr int64_t CredibleTime(int64_t time_ns) {
  return std::clamp(time_ns, int64_t{0}, int64_t{1} << 62);
}

// Limits a duration to between zero and a hundred days.
constexpr int64_t CredibleDuration(int64_t nanos) {
  return std::clamp(nanos, int64_t{0}, int64_t{1} << 53);
}

}  // namespace jprof
