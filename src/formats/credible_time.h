// CredibleTime: times of unchecked files, limited so that sums and differences of a few do not
// overflow. Thread-safe: no state.
#pragma once

#include <algorithm>
#include <cstdint>

namespace jprof {

// Since 1970: from then to the year 2116.
constexpr int64_t CredibleTime(int64_t time_ns) {
  return std::clamp(time_ns, int64_t{0}, int64_t{1} << 62);
}

// From none to a hundred days.
constexpr int64_t CredibleDuration(int64_t nanos) {
  return std::clamp(nanos, int64_t{0}, int64_t{1} << 53);
}

}  // namespace jprof
