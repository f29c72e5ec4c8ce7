#include "engines/lock/wait_totals.h"

#include <algorithm>

#include "sigsafe/base/check.h"

namespace jprof {

void WaitTotals::Add(WaitType type, Nanos waited_ns, Nanos interval_ns, int64_t spread) {
  JPROF_CHECK(waited_ns >= 0);
  constexpr auto kRelaxed = std::memory_order_relaxed;
  Cell& cell = cells_[static_cast<size_t>(type)][static_cast<uint64_t>(spread) % kCells];
  const auto waited = static_cast<uint64_t>(waited_ns);
  cell.waits.fetch_add(1, kRelaxed);
  cell.total_ns.fetch_add(waited, kRelaxed);
  if (waited_ns < interval_ns) {
    cell.short_waits.fetch_add(1, kRelaxed);
    cell.short_ns.fetch_add(waited, kRelaxed);
  }
  uint64_t longest = cell.longest_ns.load(kRelaxed);
  while (longest < waited && !cell.longest_ns.compare_exchange_weak(longest, waited, kRelaxed)) {
  }
}

WaitSums WaitTotals::Of(WaitType type) const {
  WaitSums sums;
  for (const Cell& cell : cells_[static_cast<size_t>(type)]) {
    sums.waits += cell.waits.load(std::memory_order_relaxed);
    sums.total_ns += cell.total_ns.load(std::memory_order_relaxed);
    sums.short_waits += cell.short_waits.load(std::memory_order_relaxed);
    sums.short_ns += cell.short_ns.load(std::memory_order_relaxed);
    sums.longest_ns = std::max(sums.longest_ns, cell.longest_ns.load(std::memory_order_relaxed));
  }
  return sums;
}

}  // namespace jprof
