// OpenIntervals: for how long things went on, all together, those that still do included: nothing
// is kept of each. Thread-safe; a lock is held for some additions.
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
  // `spread`: of what begins or ends, so that threads seldom share a lock.
  void Begin(Nanos now_ns, uint64_t spread);
  // REQUIRES: each End follows its Begin.
  void End(Nanos now_ns, uint64_t spread);

  // Of all up to `now_ns`.
  IntervalSums Read(Nanos now_ns) const;
  void Clear();

 private:
  struct alignas(64) Cell {
    mutable std::mutex mutex;  // guards all below
    uint64_t begun = 0;
    uint64_t ended = 0;
    uint64_t begins_ns = 0;  // sums of times, modulo 2^64: their difference is what counts
    uint64_t ends_ns = 0;
  };

  std::array<Cell, 16> cells_;
};

}  // namespace jprof
