#include "engines/lock/wait_totals.h"

#include <algorithm>

#include "sigsafe/base/check.h"

namespace jprof {

void WaitSums::Add(const WaitSums& other) {
  waits += other.waits;
  total_ns += other.total_ns;
  short_waits += other.short_waits;
  short_ns += other.short_ns;
  longest_ns = std::max(longest_ns, other.longest_ns);
}

void WaitCell::Add(Nanos waited_ns, Nanos interval_ns) {
  JPROF_CHECK(waited_ns >= 0);
  const auto waited = static_cast<uint64_t>(waited_ns);
  const bool is_short = waited_ns < interval_ns;
  (is_short ? short_waits_ : long_waits_).fetch_add(1, kRelaxed);
  (is_short ? short_ns_ : long_ns_).fetch_add(waited, kRelaxed);
  uint64_t longest = longest_ns_.load(kRelaxed);
  while (longest < waited && !longest_ns_.compare_exchange_weak(longest, waited, kRelaxed)) {
  }
}

WaitSums WaitCell::Read() const {
  const uint64_t short_waits = short_waits_.load(kRelaxed);
  const uint64_t short_ns = short_ns_.load(kRelaxed);
  return {short_waits + long_waits_.load(kRelaxed), short_ns + long_ns_.load(kRelaxed), short_waits,
          short_ns, longest_ns_.load(kRelaxed)};
}

void WaitCell::Clear() {
  for (auto* value : {&short_waits_, &short_ns_, &long_waits_, &long_ns_, &longest_ns_}) {
    value->store(0, kRelaxed);
  }
}

void WaitTotals::Add(WaitType type, Nanos waited_ns, Nanos interval_ns, int64_t spread) {
  cells_[static_cast<size_t>(type)][static_cast<uint64_t>(spread) % kCells].Add(waited_ns,
                                                                                interval_ns);
}

WaitSums WaitTotals::Of(WaitType type) const {
  WaitSums sums;
  for (const Cell& cell : cells_[static_cast<size_t>(type)]) sums.Add(cell.Read());
  return sums;
}

void WaitTotals::Clear() {
  for (auto& row : cells_) {
    for (Cell& cell : row) cell.Clear();
  }
}

}  // namespace jprof
