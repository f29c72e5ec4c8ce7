// OpenIntervals measures the total duration of intervals, including those that still go on. It
// keeps only sums, and no memory per interval.
//
// Thread-safe. Each call holds a mutex for a few additions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>

#include "sigsafe/base/types.h"

namespace jprof {

struct IntervalSums {
  uint64_t begun = 0;  // number of intervals, including those that go on
  uint64_t ended = 0;
  Nanos total_ns = 0;
};

class OpenIntervals {
 public:
  // Starts an interval. `spread` is a number that differs between threads or between intervals. It
  // selects the mutex, so that two threads seldom use the same mutex. The End of the interval may
  // get another `spread`.
  void Begin(Nanos now_ns, uint64_t spread);
  // Ends an interval. REQUIRES: each End follows its Begin.
  void End(Nanos now_ns, uint64_t spread);

  // Returns the sums of all intervals. An interval that goes on counts up to `now_ns`.
  IntervalSums Read(Nanos now_ns) const;
  void Clear();

 private:
  struct alignas(64) Cell {
    mutable std::mutex mutex;  // guards all below
    uint64_t begun = 0;
    uint64_t ended = 0;
    uint64_t begins_ns = 0;  // sum of the times at which intervals began, modulo 2^64
    uint64_t ends_ns = 0;    // sum of the times at which intervals ended, modulo 2^64
  };

  std::array<Cell, 16> cells_;
};

inline void OpenIntervals::Begin(Nanos now_ns, uint64_t spread) {
  Cell& cell = cells_[spread % cells_.size()];
  const std::lock_guard lock(cell.mutex);
  ++cell.begun;
  cell.begins_ns += static_cast<uint64_t>(now_ns);
}

inline void OpenIntervals::End(Nanos now_ns, uint64_t spread) {
  Cell& cell = cells_[spread % cells_.size()];
  const std::lock_guard lock(cell.mutex);
  ++cell.ended;
  cell.ends_ns += static_cast<uint64_t>(now_ns);
}

// Takes the difference of begun and ended only for the sums over all cells, because an interval can
// begin in one cell and end in another.
inline IntervalSums OpenIntervals::Read(Nanos now_ns) const {
  IntervalSums sums;
  uint64_t total_ns = 0;
  for (const Cell& cell : cells_) {
    const std::lock_guard lock(cell.mutex);
    sums.begun += cell.begun;
    sums.ended += cell.ended;
    total_ns += cell.ends_ns - cell.begins_ns;
  }
  total_ns += (sums.begun - sums.ended) * static_cast<uint64_t>(now_ns);
  sums.total_ns = std::max<Nanos>(static_cast<Nanos>(total_ns), 0);
  return sums;
}

inline void OpenIntervals::Clear() {
  for (Cell& cell : cells_) {
    const std::lock_guard lock(cell.mutex);
    cell.begun = cell.ended = cell.begins_ns = cell.ends_ns = 0;
  }
}

}  // namespace jprof
