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

void WaitSums::Add(const WaitSums& other) {
  waits += other.waits;
  total_ns += other.total_ns;
  short_waits += other.short_waits;
  short_ns += other.short_ns;
  longest_ns = std::max(longest_ns, other.longest_ns);
}

WaitSums WaitTotals::Of(WaitType type) const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  WaitSums sums;
  for (const Cell& cell : cells_[static_cast<size_t>(type)]) {
    sums.Add({cell.waits.load(kRelaxed), cell.total_ns.load(kRelaxed),
              cell.short_waits.load(kRelaxed), cell.short_ns.load(kRelaxed),
              cell.longest_ns.load(kRelaxed)});
  }
  return sums;
}

}  // namespace jprof
