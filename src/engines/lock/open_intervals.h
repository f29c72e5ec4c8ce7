// OpenIntervals: the total duration of intervals, including those that still go on. Keeps only
// sums, nothing of each interval.
//
// Thread-safe; a lock is held for some additions.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "sigsafe/base/types.h"

namespace jprof {

struct IntervalSums {
  uint64_t begun = 0;
  uint64_t ended = 0;
  Nanos total_ns = 0;
};

class OpenIntervals {
 public:
  // Starts an interval. `spread`: a number that differs between threads or intervals, so that
  // threads seldom share a lock.
  void Begin(Nanos now_ns, uint64_t spread);
  // Ends an interval. REQUIRES: each End follows its Begin.
  void End(Nanos now_ns, uint64_t spread);

  // Returns the sums of all intervals up to `now_ns`.
  IntervalSums Read(Nanos now_ns) const;
  void Clear();

 private:
  struct alignas(64) Cell {
    mutable std::mutex mutex;  // guards all below
    uint64_t begun = 0;
    uint64_t ended = 0;
    uint64_t begins_ns = 0;  // sum of the times of begins, modulo 2^64; only differences count
    uint64_t ends_ns = 0;    // sum of the times of ends, modulo 2^64
  };

  std::array<Cell, 16> cells_;
};

}  // namespace jprof
