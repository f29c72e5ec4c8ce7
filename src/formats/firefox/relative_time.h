// RelativeTime: times of samples as they are written. Thread-safe: no state.
#pragma once

#include <algorithm>
#include <cstdint>

namespace jprof::firefox {

// Rounded so that differences add up. What samples cover may begin before the recording.
constexpr int64_t RelativeTime(int64_t time_ns, int64_t start_ns) {
  return std::max<int64_t>(time_ns - start_ns, 0) / 100 * 100;
}

}  // namespace jprof::firefox
