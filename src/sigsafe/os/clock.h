// The clock of all samples. Async-signal-safe: clock_gettime is on POSIX's list, and the vDSO
// answers.
#pragma once

#include <ctime>

#include "sigsafe/base/types.h"

namespace jprof {

inline Nanos MonotonicNanos() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<Nanos>(now.tv_sec) * kNanosPerSecond + now.tv_nsec;
}

}  // namespace jprof
