#include "engines/lock/wait_totals.h"

#include <algorithm>
#include <utility>

#include "base/scaled_text.h"
#include "jfr/writer/jfr_events.h"
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

std::vector<std::string> WaitLines(const WaitSumsByType& all, Nanos interval_ns) {
  std::vector<std::string> lines;
  const auto add = [](std::string& line, const char* words, uint64_t ns) {
    line.append(words).append(RoundedDurationText(static_cast<int64_t>(ns)));
  };
  for (size_t i = 0; i < kWaitTypeCount; ++i) {
    const WaitSums& sums = all[i];
    if (sums.waits == 0) continue;
    std::string line(kWaitNames[i]);
    line.append(": ").append(std::to_string(sums.waits));
    add(line, " waits of ", sums.total_ns);
    add(line, " in all, longest ", sums.longest_ns);
    line.append("; ").append(std::to_string(sums.short_waits));
    add(line, " of them, ", sums.short_ns);
    line.append(", shorter than ").append(DurationText(interval_ns));
    lines.push_back(std::move(line));
  }
  return lines;
}

void WriteWaitCounters(const WaitSumsByType& all, Nanos now_ns, JfrWriter& writer) {
  for (size_t i = 0; i < kWaitTypeCount; ++i) {
    const WaitSums& sums = all[i];
    if (sums.waits == 0) continue;
    const struct {
      const char* name;
      uint64_t value;
    } counters[] = {{": waits", sums.waits},
                    {": ns", sums.total_ns},
                    {": ns, longest", sums.longest_ns},
                    {": waits below the threshold", sums.short_waits},
                    {": ns below the threshold", sums.short_ns}};
    for (const auto& counter : counters) {
      const std::string name = std::string(kWaitNames[i]) + counter.name;
      writer.Append(Counter{now_ns, name, counter.value});
    }
  }
}

}  // namespace jprof
