#include "engines/lock/open_intervals.h"

#include <algorithm>

namespace jprof {

void OpenIntervals::Begin(Nanos now_ns, uint64_t spread) {
  Cell& cell = cells_[spread % cells_.size()];
  const std::lock_guard lock(cell.mutex);
  ++cell.begun;
  cell.begins_ns += static_cast<uint64_t>(now_ns);
}

void OpenIntervals::End(Nanos now_ns, uint64_t spread) {
  Cell& cell = cells_[spread % cells_.size()];
  const std::lock_guard lock(cell.mutex);
  ++cell.ended;
  cell.ends_ns += static_cast<uint64_t>(now_ns);
}

// An interval can begin in one cell and end in another one.
IntervalSums OpenIntervals::Read(Nanos now_ns) const {
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

void OpenIntervals::Clear() {
  for (Cell& cell : cells_) {
    const std::lock_guard lock(cell.mutex);
    cell.begun = cell.ended = cell.begins_ns = cell.ends_ns = 0;
  }
}

}  // namespace jprof
