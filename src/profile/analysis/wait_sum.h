// WaitSum: what several waits come to. One thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "profile/analysis/recorded_wait.h"

namespace jprof {

struct WaitSum {
  double time_ns = 0;
  double variance = 0;
  uint64_t recorded = 0;
  double longest_ns = 0;
  uint64_t unfinished = 0;

  void Add(const RecordedWait& wait) {
    time_ns += wait.stands_for_ns;
    variance += wait.variance();
    ++recorded;
    longest_ns = std::max(longest_ns, wait.waited_ns);
    unfinished += wait.is_unfinished ? 1 : 0;
  }
  void Add(const WaitSum& other) {
    time_ns += other.time_ns;
    variance += other.variance;
    recorded += other.recorded;
    longest_ns = std::max(longest_ns, other.longest_ns);
    unfinished += other.unfinished;
  }
};

}  // namespace jprof
